/** Runs a statement on the connection that migrates. */
export type Query = <Row>(
  statement: string,
  parameters?: unknown[],
  isStructured?: boolean,
) => Promise<Row[]>;
