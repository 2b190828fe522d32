import { type Grant } from './grant';

type Message = { kind: 'granted'; grant: Grant } | { kind: 'ended' };

/** What the tabs of one browser tell each other about the session. */
export class SessionChannel {
  private readonly channel = new BroadcastChannel('session');

  listen(onMessage: (message: Message) => void): void {
    this.channel.addEventListener('message', ({ data }: MessageEvent<Message>) => onMessage(data));
  }

  tellGranted(grant: Grant): void {
    this.channel.postMessage({ kind: 'granted', grant } satisfies Message);
  }

  tellEnded(): void {
    this.channel.postMessage({ kind: 'ended' } satisfies Message);
  }
}
