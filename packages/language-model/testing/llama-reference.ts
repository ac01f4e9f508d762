/**
 * A Llama written out in double precision, one text at a time and nothing clever: the yardstick for every graph that samples
 * or embeds. From the papers (Touvron et al. 2023; RoPE: Su et al. 2021; RMSNorm: Zhang and Sennrich 2019; GQA: Ainslie et al. 2023).
 */
import { EMBEDDING_TENSOR, FINAL_NORM_TENSOR, HEAD_TENSOR, layerTensors } from '../checkpoint/llama-tensors.ts';
import type { Weights } from '../embedded/sampling/fused-decoder.ts';

type Vector = Float64Array<ArrayBuffer>;

export class LlamaReference {
  readonly #weights: Weights;

  constructor(weights: Weights) {
    this.#weights = weights;
  }

  /** The last hidden layer after the final norm, one vector a token. */
  hidden(ids: readonly number[]): Vector[] {
    const { shape } = this.#weights;
    const embedding = this.#values(EMBEDDING_TENSOR);
    const size = shape.hiddenSize;
    let hidden = ids.map((id) => Float64Array.from(embedding.subarray(id * size, (id + 1) * size)));
    for (let layer = 0; layer < shape.layers; layer++) {
      const names = layerTensors(layer);
      const inputs = hidden.map((token) => this.#norm(token, names.inputNorm));
      const attended = this.#attention(
        inputs.map((token) => this.#product(token, names.query)),
        inputs.map((token) => this.#product(token, names.key)),
        inputs.map((token) => this.#product(token, names.value)),
      );
      hidden = hidden.map((token, at) => sum(token, this.#product(attended[at]!, names.output)));
      hidden = hidden.map((token) => {
        const normed = this.#norm(token, names.postNorm);
        const up = this.#product(normed, names.up);
        const inner = this.#product(normed, names.gate).map(
          (gate, index) => (gate / (1 + Math.exp(-gate))) * up[index]!,
        );
        return sum(token, this.#product(inner, names.down));
      });
    }
    return hidden.map((token) => this.#norm(token, FINAL_NORM_TENSOR));
  }

  /** Log-probabilities of what follows each token, [tokens, vocabularySize]. */
  logProbabilities(ids: readonly number[]): Float32Array {
    const { shape } = this.#weights;
    const head = shape.tiedEmbeddings === false ? HEAD_TENSOR : EMBEDDING_TENSOR;
    const rows = new Float32Array(ids.length * shape.vocabularySize);
    this.hidden(ids).forEach((token, at) => {
      const logits = this.#product(token, head);
      const highest = Math.max(...logits);
      const total = highest + Math.log(logits.reduce((mass, logit) => mass + Math.exp(logit - highest), 0));
      rows.set(
        logits.map((logit) => logit - total),
        at * shape.vocabularySize,
      );
    });
    return rows;
  }

  /** Mean of the hidden vectors at length 1. */
  embedding(ids: readonly number[]): Vector {
    const total = this.hidden(ids).reduce(sum);
    const length = Math.hypot(...total);
    return total.map((value) => value / length);
  }

  #attention(queries: readonly Vector[], keys: readonly Vector[], values: readonly Vector[]): Vector[] {
    const { shape } = this.#weights;
    const headSize = shape.hiddenSize / shape.heads;
    const group = shape.heads / shape.keyValueHeads;
    const head = (vector: Vector, index: number) => vector.subarray(index * headSize, (index + 1) * headSize);
    return queries.map((query, at) => {
      const result = new Float64Array(shape.hiddenSize);
      for (let index = 0; index < shape.heads; index++) {
        const own = Math.floor(index / group);
        const asked = this.#rotated(head(query, index), at);
        const seen = keys.slice(0, at + 1);
        const scores = seen.map((key, past) => dot(asked, this.#rotated(head(key, own), past)) / Math.sqrt(headSize));
        const highest = Math.max(...scores);
        const shares = scores.map((score) => Math.exp(score - highest));
        const mass = shares.reduce((total, share) => total + share, 0);
        shares.forEach((share, past) => {
          head(values[past]!, own).forEach((value, element) => {
            result[index * headSize + element]! += (share / mass) * value;
          });
        });
      }
      return result;
    });
  }

  /** Element i turns with element i + headSize/2, by position · theta^(−2i/headSize). */
  #rotated(vector: Vector, position: number): Vector {
    const half = vector.length / 2;
    return vector.map((value, index) => {
      const angle = position * this.#weights.constants.ropeTheta ** (-(index % half) / half);
      const partner = index < half ? -vector[index + half]! : vector[index - half]!;
      return value * Math.cos(angle) + partner * Math.sin(angle);
    });
  }

  #norm(vector: Vector, name: string): Vector {
    const gain = this.#values(name);
    const meanSquare = dot(vector, vector) / vector.length;
    const scale = 1 / Math.sqrt(meanSquare + this.#weights.constants.rmsEpsilon);
    return vector.map((value, index) => value * scale * gain[index]!);
  }

  /** W x for W [out, in]. */
  #product(vector: Vector, name: string): Vector {
    const weight = this.#values(name);
    const result = new Float64Array(weight.length / vector.length);
    for (let row = 0; row < result.length; row++)
      for (let column = 0; column < vector.length; column++)
        result[row]! += weight[row * vector.length + column]! * vector[column]!;
    return result;
  }

  #values(name: string): Float32Array {
    return this.#weights.tensors.get(name)!.values;
  }
}

function sum(left: Vector, right: Vector): Vector {
  return left.map((value, index) => value + right[index]!);
}

function dot(left: Vector, right: Vector): number {
  return left.reduce((total, value, index) => total + value * right[index]!, 0);
}
