import { type MessageEvent } from '@nestjs/common';

/** The kinds of frames that a turn's stream sends (spec: Events; the others are introduced there as possible). */
export type FrameKind =
  | 'turn.started'
  | 'delta'
  | 'tool_call'
  | 'turn.requires_action'
  | 'turn.completed'
  | 'turn.cancelled'
  | 'error';

export interface Frame {
  /** In the turn, from 1, without gaps. */
  n: number;
  kind: FrameKind;
  /** JSON; of a delta the text itself. */
  data: string;
}

/** A frame of a session: `<turn number>.<n>`, the `id` on the wire. */
export interface Position {
  turn: number;
  n: number;
}

/** A response ends with the first of these that it sends. */
const BOUNDARIES: ReadonlySet<FrameKind> = new Set([
  'turn.requires_action',
  'turn.completed',
  'turn.cancelled',
  'error',
]);
const POSITION = /^([1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/;

export const isBoundary = ({ kind }: Frame) => BOUNDARIES.has(kind);

/** Every turn's first one, unless it ends before it runs. */
export const startedFrame = (turnId: string): Frame => ({
  n: 1,
  kind: 'turn.started',
  data: JSON.stringify({ turn_id: turnId }),
});

/** Null for a text that is no frame's id. */
export function parsePosition(text: string): Position | null {
  const match = POSITION.exec(text);
  return match && { turn: Number(match[1]), n: Number(match[2]) };
}

export function messageOf(turnNumber: number, { n, kind, data }: Frame): MessageEvent {
  return {
    type: kind,
    id: `${turnNumber}.${n}`,
    data: kind === 'delta' ? JSON.stringify({ content: data }) : data,
  };
}
