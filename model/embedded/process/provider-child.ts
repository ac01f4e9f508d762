/** Entry of a probe: exits with 0 if the provider in its argument multiplies two matrices correctly. */
import * as onnx from 'onnxruntime-node';
import { Graph } from '../onnx/graph.ts';
import { matmul } from '../onnx/operations/linear.ts';

const SIZE = 64;

async function compute(provider: string): Promise<void> {
  const graph = new Graph('probe');
  const value = graph.input('value', 'float32', [SIZE, SIZE]);
  graph.output('product', matmul(value, value));
  const session = await onnx.InferenceSession.create(graph.encode(), {
    executionProviders: [provider],
    logSeverityLevel: 4,
  });
  const data = new Float32Array(SIZE * SIZE).fill(0.5);
  const { product } = await session.run({ value: new onnx.Tensor('float32', data, [SIZE, SIZE]) });
  const expected = SIZE / 4;
  if (product === undefined || !(product.data as Float32Array).every((element) => element === expected))
    throw new Error('it computes wrong products');
}

compute(process.argv[2] ?? '').then(
  () => process.exit(0),
  (error: Error) => {
    process.stderr.write(error.message);
    process.exit(1);
  },
);
