import { z } from 'zod';
import type { ConsentType } from '../borrowers/consents.ts';
import { sql, type Transaction } from '../database/db.ts';

const GrantedConsent = z.object({ id: z.string(), is_in_force: z.boolean() });

/** Every consent of a type that the borrower gave, and whether it is in force. */
export const findConsent = (tx: Transaction, borrowerId: string, type: ConsentType) =>
  tx.any(sql.type(GrantedConsent)`
    select id, revoked_at is null and (expires_at is null or expires_at > now()) as is_in_force
    from borrower_consents
    where borrower_id = ${borrowerId} and consent_type = ${type}
    order by id
  `);
