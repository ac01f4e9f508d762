/**
 * Inner products between two sets of vectors, by ONNX Runtime's matrix product on all cores. Sums are in float32, in
 * the library's order, so results are accurate to `productTolerance`, not to the bit.
 */
import { availableParallelism } from 'node:os';
import { StpError } from '@stp/base';
import { Graph } from '../onnx/graph.ts';

export interface InnerProducts {
  /**
   * Returns rows × columns products; row r times column c is at r · columns + c. The array is valid until the next
   * call. The event loop is not blocked.
   */
  compute(rows: Float32Array, rowCount: number, columns: Float32Array, columnCount: number): Promise<Float32Array>;
  close(): Promise<void>;
}

const UNIT_ROUNDOFF = 2 ** -24;
/** Rounding errors of a sum grow like a random walk. No pair reaches eight standard deviations. */
const DEVIATIONS = 8;

/** Returns the maximum error of a result, for vectors of these norms. */
export const productTolerance = (length: number, norm: number, otherNorm: number): number =>
  DEVIATIONS * Math.sqrt(length) * UNIT_ROUNDOFF * norm * otherNorm;

/** @param length dimensions of every vector */
export async function openInnerProducts(length: number): Promise<InnerProducts> {
  // The library is large, so it is loaded only when needed.
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
