/** Why a field cannot be read. The message never shows the value, which may be personal. */
export class ValueProblem extends Error {}
