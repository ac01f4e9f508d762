/**
 * The metrics that trackers get, under one name in all of them. The log has a name for every shard and stage; of these,
 * trackers get the steps of trainings and the figures of rounds. docs/tracking.md lists them (a test compares).
 */

interface TrackedMetric {
  /** `training/NAME/…`: NAME is the training's, such as `sft`, `round_1`, `retrain_2`. */
  readonly name: string;
  readonly step: 'round' | 'training step';
  readonly text: string;
}

const perRound = (name: string, text: string): TrackedMetric => ({ name: `round/${name}`, step: 'round', text });
const perStep = (name: string, text: string): TrackedMetric => ({
  name: `training/NAME/${name}`,
  step: 'training step',
  text,
});

export const TRACKED_METRICS: readonly TrackedMetric[] = [
  perRound('attempted', 'statements of the dataset that were attempted'),
  perRound('proved', 'of these, statements proved in the round'),
  perRound('proved_ever', 'statements proved in this round or an earlier one'),
  perRound('proved_share', 'the same as a share of all statements, 0 to 1'),
  perRound('samples', 'proofs sampled'),
  perRound('distinct_samples', 'of these, different ones'),
  perRound('samples_proved', 'samples that Lean accepted'),
  perRound('tokens', 'tokens of the proofs'),
  perRound('certified', 'proofs, each with its certificate'),
  perRound('conjectures_made', 'texts of conjectures'),
  perRound('conjectures_attempted', 'conjectures that passed the gate'),
  perRound('conjectures_proved', 'conjectures proved'),
  perRound('conjectures_kept', 'conjectures that train the conjecturer'),
  perRound('prover_examples', 'examples that train the prover'),
  perRound('held_out_proved', 'held-out statements proved, where they were evaluated; round 0 is the SFT model'),
  perRound('seconds', 'wall time of the round'),
  perRound('lean_seconds', 'time of Lean on the samples'),
  perRound('judge_requests', 'requests to judges, tries included'),
  perRound('judge_answers', 'answers of judges'),
  perRound('judge_prompt_tokens', 'tokens that judges read'),
  perRound('judge_answer_tokens', 'tokens that judges wrote'),
  perRound('judge_cost', 'what these cost, where prices are known'),
  perRound('machine_hours', 'hours of machines since the round before, as in the report'),
  perRound('usd', 'cost since the round before, where prices are known'),
  perStep('loss', 'loss of the step'),
  perStep('held_out_loss', 'loss on examples that are never trained on, some ten times a training'),
  perStep('gradient_norm', 'norm of the gradient before clipping'),
  perStep('tokens_per_second', 'speed of the training'),
];

const KNOWN = new Set(TRACKED_METRICS.map(({ name }) => name));

/** Returns the name under which trackers get a metric of the log; null if only the log has it. */
export function trackedName(name: string): string | null {
  if (KNOWN.has(name)) return name;
  const [, training, part] = /^checkpoints\/(\w+)\/(\w+)$/.exec(name) ?? [];
  return KNOWN.has(`training/NAME/${part}`) ? `training/${training}/${part}` : null;
}
