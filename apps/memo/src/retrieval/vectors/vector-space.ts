import { termId } from '../index/term-id';

/** The id of a set of comparable vectors: of one workspace, one model and one number of dimensions. */
export const spaceOf = (workspaceId: string, model: string, dimensions: number): bigint =>
  termId(`${workspaceId} ${dimensions} ${model}`);

/** The signs of the components. Vectors of similar direction have similar signatures. */
export function signatureOf(vector: Float32Array): string {
  let bits = '';
  for (const value of vector) bits += value < 0 ? '1' : '0';
  return bits;
}

/** Cosine similarity, from -1 to 1. @param other has the same length */
export function cosine(one: Float32Array, other: Float32Array): number {
  let [product, squares, otherSquares] = [0, 0, 0];
  for (let i = 0; i < one.length; i++) {
    const [a, b] = [one[i]!, other[i]!];
    product += a * b;
    squares += a * a;
    otherSquares += b * b;
  }
  return product / Math.sqrt(squares * otherSquares);
}

const FLOAT_BYTES = 4;

export function packVectors(vectors: Float32Array[]): Buffer {
  const bytes = Buffer.alloc(vectors.length * vectors[0]!.length * FLOAT_BYTES);
  let at = 0;
  for (const vector of vectors) for (const value of vector) at = bytes.writeFloatLE(value, at);
  return bytes;
}

export function unpackVector(bytes: Buffer): Float32Array {
  const vector = new Float32Array(bytes.length / FLOAT_BYTES);
  for (let i = 0; i < vector.length; i++) vector[i] = bytes.readFloatLE(i * FLOAT_BYTES);
  return vector;
}
