/**
 * The principal reasons of Regulation B's sample form C-1: a code, and the text of the notice in each
 * language.
 */
export const DENIAL_REASONS = {
  credit_application_incomplete: {
    en: 'Credit application incomplete',
    es: 'Solicitud de crédito incompleta',
  },
  insufficient_credit_references: {
    en: 'Insufficient number of credit references provided',
    es: 'Número insuficiente de referencias de crédito',
  },
  unable_to_verify_employment: {
    en: 'Unable to verify employment',
    es: 'No se pudo verificar el empleo',
  },
  income_insufficient: {
    en: 'Income insufficient for amount of credit requested',
    es: 'Ingresos insuficientes para la cantidad de crédito solicitada',
  },
  excessive_obligations: {
    en: 'Excessive obligations in relation to income',
    es: 'Obligaciones excesivas en relación con los ingresos',
  },
  unable_to_verify_income: {
    en: 'Unable to verify income',
    es: 'No se pudieron verificar los ingresos',
  },
  length_of_residence: {
    en: 'Length of residence',
    es: 'Tiempo de residencia',
  },
  insufficient_credit_history: {
    en: 'Limited credit experience',
    es: 'Experiencia de crédito limitada',
  },
  delinquent_credit_obligations: {
    en: 'Delinquent past or present credit obligations with others',
    es: 'Obligaciones de crédito morosas, pasadas o presentes, con otros',
  },
  collection_or_judgment: {
    en: 'Collection action or judgment',
    es: 'Acción de cobro o sentencia judicial',
  },
  garnishment_or_foreclosure: {
    en: 'Garnishment or attachment, foreclosure or repossession',
    es: 'Embargo, ejecución hipotecaria o recuperación del bien',
  },
  bankruptcy: {
    en: 'Bankruptcy',
    es: 'Bancarrota',
  },
  recent_inquiries: {
    en: 'Number of recent inquiries on credit bureau report',
    es: 'Número de consultas recientes en el informe de la agencia de crédito',
  },
  collateral_insufficient: {
    en: 'Value or type of collateral not sufficient',
    es: 'Valor o tipo de garantía insuficiente',
  },
  // Not printed: the notice tells the applicant how to get the reasons.
  other: { en: 'Other reasons', es: 'Otras razones' },
} as const;
export type DenialReason = keyof typeof DENIAL_REASONS;

export const DENIAL_CODES = Object.keys(DENIAL_REASONS) as [DenialReason, ...DenialReason[]];
