import type { AllocationStep, Component, DueState } from './terms.ts';

export const WATERFALL_NAMES = [
  'standard',
  'delinquency_first',
  'interest_first',
  'non_accrual',
  'accelerated',
  'charged_off',
  'settlement',
  'extra_principal',
  'fee_only',
] as const;
export type WaterfallName = (typeof WATERFALL_NAMES)[number];

export type Waterfall = {
  name: WaterfallName | 'custom';
  steps: readonly AllocationStep[];
  /** The run of each step. The steps of a run serve one installment after another. */
  runs: readonly number[];
};

function stepsInOrder(
  components: readonly Component[],
  states: readonly DueState[] = ['past_due', 'due', 'in_advance'],
): AllocationStep[] {
  return states.flatMap((due_state) => components.map((component) => ({ due_state, component })));
}

const FEES_LAST = [
  ...stepsInOrder(['interest', 'principal'], ['past_due', 'due']),
  ...stepsInOrder(['fee'], ['past_due', 'due']),
  ...stepsInOrder(['interest', 'principal', 'fee'], ['in_advance']),
];

export const WATERFALLS: Record<WaterfallName, Waterfall> = {
  standard: horizontal('standard', stepsInOrder(['fee', 'interest', 'principal'])),
  delinquency_first: horizontal('delinquency_first', FEES_LAST),
  interest_first: horizontal('interest_first', stepsInOrder(['interest', 'fee', 'principal'])),
  non_accrual: vertical('non_accrual', ['principal', 'interest', 'fee']),
  accelerated: vertical('accelerated', ['fee', 'interest', 'principal']),
  charged_off: vertical('charged_off', ['principal', 'interest', 'fee']),
  settlement: vertical('settlement', ['principal', 'interest', 'fee']),
  extra_principal: vertical('extra_principal', ['interest', 'principal']),
  fee_only: vertical('fee_only', ['fee']),
};

/** A product's own steps. Missing components follow at the end, in standard order. */
export function customWaterfall(steps: readonly AllocationStep[]): Waterfall {
  const missing = WATERFALLS.standard.steps.filter(
    (step) =>
      !steps.some((own) => own.component === step.component && own.due_state === step.due_state),
  );
  return horizontal('custom', [...steps, ...missing]);
}

/** Completes one installment before the next: consecutive steps of the same due state form a run. */
function horizontal(name: Waterfall['name'], steps: readonly AllocationStep[]): Waterfall {
  let run = 0;
  const runs = steps.map((step, index) => {
    if (index > 0 && steps[index - 1]?.due_state !== step.due_state) run += 1;
    return run;
  });
  return { name, steps, runs };
}

/** Pays one component after another, regardless of due dates: each step is its own run. */
function vertical(name: WaterfallName, components: readonly Component[]): Waterfall {
  const steps = components.flatMap((component) => stepsInOrder([component]));
  return { name, steps, runs: steps.map((_, index) => index) };
}
