/** The position of a stream event, such as `3.17`: the number of its turn in the session and its number in the turn, from 1. */
export interface Position {
  turn: number;
  event: number;
}

export function parsePosition(id: string | undefined): Position | undefined {
  const [, turn, event] = /^(\d{1,15})\.(\d{1,15})$/.exec(id ?? '') ?? [];
  return turn === undefined ? undefined : { turn: Number(turn), event: Number(event) };
}

/** Whether a position directly follows the last one. The last one may be the end of its turn. */
export function isNext(position: Position, last: Position): boolean {
  return (
    (position.turn === last.turn && position.event === last.event + 1) ||
    (position.turn === last.turn + 1 && position.event === 1)
  );
}
