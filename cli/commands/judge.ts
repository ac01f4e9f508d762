/** `stp judge`: its options. */
import { type Command, Option } from 'commander';

export function addJudgeCommands(program: Command): void {
  const judge = program
    .command('judge')
    .description(
      'Have language models judge proofs in natural language: a mark by the rubric for each proof of the file. Answers are kept, and no answered question is asked again. See docs/judges.md.',
    )
    .argument(
      '[file]',
      "proofs: rows of JSON, DeepSeekMath-V2's outputs, LLMProofs' output file (.json) or veRL's rows (.parquet)",
    )
    .option('--config <file>', 'JSON file that says who judges, and how (docs/judges.md)')
    .option(
      '--problems <file>',
      "rubrics and solutions of the file's problems, by their ids: IMO-ProofBench's table, or rows",
    )
    .option('--records <dir>', 'folder for the answers of the judges', 'judged')
    .option('--replay', 'ask no judge: use the kept answers only')
    .option('--json', 'one JSON object for each proof, with every vote, its evidence, and what failed')
    .action(async (file, options) => {
      process.exitCode = await (await import('../models/judge.ts')).judge(file, options);
    });

  judge
    .command('audit')
    .description(
      "Compare a judge with people's marks, by problem set: confusion, mean absolute error, rank correlation, and wrong proofs that got full marks.",
    )
    .requiredOption('--gold <file...>', 'proofs with human marks')
    .option('--judged <file>', 'what `stp judge --json` printed; default: the automatic ratings in the gold files')
    .option('--json', 'one JSON object for each problem set')
    // The parent command has an option of the same name, which takes the value.
    .action(async (_, command: Command) =>
      (await import('../models/judge-audit.ts')).judgeAudit(command.optsWithGlobals()),
    );

  judge
    .command('convert')
    .description('Write a file of proofs or problems in another form.')
    .argument('<file>', 'a file that `stp judge` reads')
    .addOption(
      new Option('--to <form>', "rows of JSON, veRL's rows (Parquet), or LLMProofs' output file")
        .choices(['rows', 'verl', 'llmproofs'])
        .makeOptionMandatory(),
    )
    .requiredOption('--out <file>', 'file to write; it must not exist')
    .action(async (file, options) => (await import('../models/judge-convert.ts')).judgeConvert(file, options));
}
