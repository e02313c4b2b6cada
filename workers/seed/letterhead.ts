/** The sender's address and the legal texts that a tenant's documents require. For development only. */
export const seedLetterhead = (slug: string, name: string) => ({
  branding: {
    support_email: `service@${slug}.test`,
    support_phone: '+1 202 555 0100',
    address_line_1: '100 Example Avenue',
    address_line_2: 'Springfield, IL 62701',
  },
  adverse_action: {
    agency_name: 'Federal Trade Commission, Equal Credit Opportunity',
    agency_address: '600 Pennsylvania Avenue NW, Washington, DC 20580',
  },
  tax: {
    payer_name: name,
    payer_tin: '12-3456789',
    payer_address: '100 Example Avenue, Springfield, IL 62701',
  },
});
