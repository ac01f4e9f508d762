/** Tests with this tag belong to `npm run test:slow`: `it('…', { tags: ['slow'] }, …)`, or `@module-tag slow` atop a file. */
export const SLOW = { name: 'slow', description: 'Left to npm run test:slow.', timeout: 1_800_000 };
