/** A frame's place, written `3.17`: the turn's number in its session and the frame's number in that turn, both from 1. */
export interface Position {
  turn: number;
  frame: number;
}

export function parsePosition(id: string | undefined): Position | undefined {
  const [, turn, frame] = /^(\d{1,15})\.(\d{1,15})$/.exec(id ?? '') ?? [];
  return turn === undefined ? undefined : { turn: Number(turn), frame: Number(frame) };
}

/** Whether nothing is missing and nothing comes again between the two; the first may be the last frame of its turn. */
export function isNext(position: Position, last: Position): boolean {
  return (
    (position.turn === last.turn && position.frame === last.frame + 1) ||
    (position.turn === last.turn + 1 && position.frame === 1)
  );
}
