import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

export const sftpServers = table({
  name: 'sftp_servers',
  rows: sql.fragment`
    select record.id, record.name, record.host, record.port, record.username,
           case when record.password_sealed is null then 'private_key' else 'password' end
             as signs_in_by,
           record.host_keys, record.folder, record.is_active, record.created_at, record.updated_at
    from sftp_servers as record
  `,
});

export const serverAddress = sql.fragment`'sftp://' || host || ':' || port || '/' || ltrim(folder, '/')`;

const Server = z.object({
  host: z.string(),
  port: z.int(),
  username: z.string(),
  host_keys: z.array(z.string()),
  folder: z.string(),
  is_active: z.boolean(),
  password_sealed: z.string().nullable(),
  private_key_sealed: z.string().nullable(),
});

export const findServer = (tx: Transaction, id: string) =>
  tx.one(sql.type(Server)`
    select host, port, username, host_keys, folder, is_active, password_sealed, private_key_sealed
    from sftp_servers where id = ${id}
  `);
