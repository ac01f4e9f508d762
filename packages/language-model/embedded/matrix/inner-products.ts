/**
 * Inner products of many vectors with many on all cores, by ONNX Runtime's matrix product: some hundred times the rate of a
 * loop. Sums run in 32 bits, in an order that is the library's own: a result is right to `productTolerance`, not to the bit.
 */
import { availableParallelism } from 'node:os';
import { StpError } from '@stp/base';
import { Graph } from '../onnx/graph.ts';

export interface InnerProducts {
  /**
   * Row r times column c at r · columns + c, an array that is valid until the next call. Other work continues
   * meanwhile.
   */
  compute(rows: Float32Array, rowCount: number, columns: Float32Array, columnCount: number): Promise<Float32Array>;
  close(): Promise<void>;
}

const UNIT_ROUNDOFF = 2 ** -24;
/** Rounding errors of a sum add up like a random walk: eight times its mean is met by no pair. */
const DEVIATIONS = 8;

/** How far a result may be from the inner product, for vectors of these norms. */
export const productTolerance = (length: number, norm: number, otherNorm: number): number =>
  DEVIATIONS * Math.sqrt(length) * UNIT_ROUNDOFF * norm * otherNorm;

/** @param length dimensions of every vector */
export async function openInnerProducts(length: number): Promise<InnerProducts> {
  // The library is large; a worker that matches nothing does not load it.
  const { InferenceSession, Tensor } = await import('onnxruntime-node');
  const graph = new Graph('inner-products');
  const inputs = [
    graph.input('rows', 'float32', ['rows', length]),
    graph.input('columns', 'float32', ['columns', length]),
  ];
  const [product] = graph.node({
    operator: 'Gemm',
    inputs,
    outputs: [{ type: 'float32', shape: ['rows', 'columns'] }],
    attributes: { transB: { int: 1 } },
  });
  graph.output('product', product!);
  const session = await InferenceSession.create(graph.encode(), {
    executionProviders: ['cpu'],
    intraOpNumThreads: availableParallelism(),
    enableCpuMemArena: false,
    logSeverityLevel: 3,
  }).catch((cause: Error) => {
    throw new StpError(
      'STP1301',
      `the matrix product could not be opened: ${cause.message}`,
      'Check that onnxruntime-node is installed for this platform (npm ci).',
      { cause },
    );
  });
  let out = new Float32Array(0);
  return {
    async compute(rows, rowCount, columns, columnCount) {
      const size = rowCount * columnCount;
      if (out.length < size) out = new Float32Array(size);
      const result = out.subarray(0, size);
      await session.run(
        {
          rows: new Tensor('float32', rows.subarray(0, rowCount * length), [rowCount, length]),
          columns: new Tensor('float32', columns.subarray(0, columnCount * length), [columnCount, length]),
        },
        { product: new Tensor('float32', result, [rowCount, columnCount]) },
      );
      return result;
    },
    close: () => session.release(),
  };
}
