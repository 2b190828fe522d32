/** Most dimensions of a vector: four times those of the largest common embedding models. */
const MAX_DIMENSIONS = 16_384;
const FLOAT_BYTES = 4;

/**
 * The vectors in the body of an embeddings answer (OpenAI's shape), in the order of the texts; each is a list of numbers,
 * or base64 of 32-bit floats with the least byte first. Returns null unless there is exactly one vector for each text, all
 * vectors have the same length, and each consists of finite numbers that are not all zero.
 */
export function readVectors(body: string, count: number): Float32Array[] | null {
  const { data } = parsed(body);
  if (!Array.isArray(data) || data.length !== count) return null;
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined);
  data.forEach((item: { index?: unknown; embedding?: unknown } | null, position) => {
    const index = item?.index ?? position;
    if (typeof index === 'number' && index in vectors) vectors[index] = readVector(item?.embedding);
  });
  const length = vectors[0]?.length;
  return vectors.every((vector) => vector !== undefined && vector.length === length && isUsable(vector))
    ? (vectors as Float32Array[])
    : null;
}

function parsed(body: string): { data?: unknown } {
  try {
    return (JSON.parse(body) as { data?: unknown } | null) ?? {};
  } catch {
    return {};
  }
}

function readVector(embedding: unknown): Float32Array | undefined {
  if (Array.isArray(embedding)) {
    if (embedding.length > MAX_DIMENSIONS || !embedding.every((value) => typeof value === 'number')) return;
    return Float32Array.from(embedding);
  }
  if (typeof embedding !== 'string') return;
  const bytes = Buffer.from(embedding, 'base64');
  if (bytes.length % FLOAT_BYTES !== 0 || bytes.length > MAX_DIMENSIONS * FLOAT_BYTES) return;
  return Float32Array.from({ length: bytes.length / FLOAT_BYTES }, (_value, place) =>
    bytes.readFloatLE(place * FLOAT_BYTES),
  );
}

const isUsable = (vector: Float32Array) =>
  vector.every(Number.isFinite) && vector.some((value) => value !== 0);
