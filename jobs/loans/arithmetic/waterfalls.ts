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
  /** The run that each step belongs to: what a run serves is served instalment by instalment. */
  runs: readonly number[];
};

function inOrder(
  components: readonly Component[],
  states: readonly DueState[] = ['past_due', 'due', 'in_advance'],
): AllocationStep[] {
  return states.flatMap((due_state) => components.map((component) => ({ due_state, component })));
}

const FEES_LAST = [
  ...inOrder(['interest', 'principal'], ['past_due', 'due']),
  ...inOrder(['fee'], ['past_due', 'due']),
  ...inOrder(['interest', 'principal', 'fee'], ['in_advance']),
];

/** Each order of service, and the reason for it. */
export const WATERFALLS: Record<WaterfallName, Waterfall> = {
  standard: horizontal('standard', inOrder(['fee', 'interest', 'principal'])),
  delinquency_first: horizontal('delinquency_first', FEES_LAST),
  interest_first: horizontal('interest_first', inOrder(['interest', 'fee', 'principal'])),
  non_accrual: vertical('non_accrual', ['principal', 'interest', 'fee']),
  accelerated: vertical('accelerated', ['fee', 'interest', 'principal']),
  charged_off: vertical('charged_off', ['principal', 'interest', 'fee']),
  settlement: vertical('settlement', ['principal', 'interest', 'fee']),
  extra_principal: vertical('extra_principal', ['interest', 'principal']),
  fee_only: vertical('fee_only', ['fee']),
};

/** A product's own list of steps; components that it does not name come last, in standard order. */
export function customWaterfall(steps: readonly AllocationStep[]): Waterfall {
  const missing = WATERFALLS.standard.steps.filter(
    (step) =>
      !steps.some((own) => own.component === step.component && own.due_state === step.due_state),
  );
  return horizontal('custom', [...steps, ...missing]);
}

/**
 * Finishes one instalment before the next: steps of one due state that stand side by side are a run.
 */
function horizontal(name: Waterfall['name'], steps: readonly AllocationStep[]): Waterfall {
  let run = 0;
  const runs = steps.map((step, index) => {
    if (index > 0 && steps[index - 1]?.due_state !== step.due_state) run += 1;
    return run;
  });
  return { name, steps, runs };
}

/** One component after the other, whatever is due when: each step is a run of its own. */
function vertical(name: WaterfallName, components: readonly Component[]): Waterfall {
  const steps = components.flatMap((component) => inOrder([component]));
  return { name, steps, runs: steps.map((_, index) => index) };
}
