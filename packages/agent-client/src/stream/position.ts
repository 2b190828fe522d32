/** The position of a frame, such as `3.17`: the number of the turn in its session, and of the frame in the turn, from 1. */
export interface Position {
  turn: number;
  frame: number;
}

export function parsePosition(id: string | undefined): Position | undefined {
  const [, turn, frame] = /^(\d{1,15})\.(\d{1,15})$/.exec(id ?? '') ?? [];
  return turn === undefined ? undefined : { turn: Number(turn), frame: Number(frame) };
}

/** Whether a position directly follows the last one. The last one may be the end of its turn. */
export function isNext(position: Position, last: Position): boolean {
  return (
    (position.turn === last.turn && position.frame === last.frame + 1) ||
    (position.turn === last.turn + 1 && position.frame === 1)
  );
}
