import { type TestPool, waitFor } from '@inference/testing';
import { type DocumentResponse } from '../../documents/document.dto';
import { type Person } from '../../memo.fixture';

/** A version of a document, with times of this process's clock. */
export interface Edition {
  /** The stored text. */
  text: string;
  /** The version was not served before. */
  sentAt: number;
  /** The version was not served afterwards; undefined while it is served. */
  goneBy: number | undefined;
}

interface Held {
  id: string;
  version: number;
}

const FILLER = 'Parcels are weighed, stamped and carried to the depot, where couriers sort them by street. ';
const FILLER_SENTENCES = [0, 3, 25, 60];

/**
 * The documents of a workspace, which are replaced and deleted continuously. Remembers every text that ever existed.
 */
export class ChangingDocuments {
  replaced = 0;
  deleted = 0;
  private readonly editions = new Map<string, Edition>();
  private readonly gone = new Set<string>();
  private readonly held = new Map<number, Held>();
  private serial = 0;

  constructor(
    private readonly owner: Person,
    private readonly workspace: string,
    private readonly pool: TestPool,
  ) {}

  edition(id: string, version: number): Edition | undefined {
    return this.editions.get(`${id} ${version}`);
  }

  editionsOf(id: string): Edition[] {
    return [...this.editions].flatMap(([key, edition]) => (key.startsWith(`${id} `) ? [edition] : []));
  }

  isDeleted(id: string): boolean {
    return this.gone.has(id);
  }

  /** Uploads one document for each place. */
  async fill(places: number[]): Promise<void> {
    await Promise.all(places.map((place) => this.add(place)));
  }

  /** Changes the documents of these places one after the other, while the condition holds. */
  async changeWhile(goesOn: () => boolean, places: number[]): Promise<void> {
    for (let turn = 0; goesOn(); turn++) {
      const place = places[turn % places.length]!;
      if (turn % 3 !== 2) await this.replace(place);
      else await this.swap(place, turn % 2 === 0);
    }
  }

  private async add(place: number): Promise<void> {
    const { id, version } = await this.send('POST', '', place);
    await this.untilServed(id, version);
    this.held.set(place, { id, version });
  }

  private async replace(place: number): Promise<void> {
    const { id, version: before } = this.held.get(place)!;
    const { version } = await this.send('PUT', `/${id}`, place);
    await this.untilServed(id, version);
    this.end(id, before);
    this.held.set(place, { id, version });
    this.replaced += 1;
  }

  /** Replaces a document by another one. A next version may be in processing when it is deleted. */
  private async swap(place: number, amidReading: boolean): Promise<void> {
    const { id, version } = this.held.get(place)!;
    const versions = [version];
    if (amidReading) versions.push((await this.send('PUT', `/${id}`, place)).version);
    await this.owner.json('DELETE', `/${this.workspace}/documents/${id}`, undefined, 204);
    for (const each of versions) this.end(id, each);
    this.gone.add(id);
    this.deleted += 1;
    await this.add(place);
  }

  private async send(method: string, path: string, place: number): Promise<DocumentResponse> {
    const serial = (this.serial += 1);
    const sent = textOf(place, serial);
    const sentAt = performance.now();
    const document = await this.owner.json<DocumentResponse>(
      method,
      `/${this.workspace}/documents${path}`,
      { title: `Parcel ${place}, "edition" ${serial}`, text: sent },
      method === 'POST' ? 201 : 200,
    );
    const text = sent.replaceAll('\r\n', '\n').trimEnd();
    this.editions.set(`${document.id} ${document.version}`, { text, sentAt, goneBy: undefined });
    return document;
  }

  private async untilServed(id: string, version: number): Promise<void> {
    const served = 'SELECT FROM memo.documents WHERE id = $1 AND serving_version = $2';
    await waitFor(async () => (await this.pool.query(served, [id, version])).rowCount === 1);
  }

  private end(id: string, version: number): void {
    this.edition(id, version)!.goneBy = performance.now();
  }
}

/** All texts differ, and the answer is at a different position in each. */
function textOf(place: number, serial: number): string {
  const filler = FILLER.repeat(FILLER_SENTENCES[serial % FILLER_SENTENCES.length]!);
  return [
    `\n  Parcel ${place} (edition ${serial}).${' '.repeat(serial % 9)}`,
    filler,
    `Refunds for parcel ${place} are issued\r\n\twithin   ${serial} days of the "return", less the fee of courier ${serial % 7}. 😀`,
    `包裹${place}的退款在${serial}天内完成。\u3000运费为${serial % 7}元。`,
    `The courier of parcel ${place} rings ${serial} times.  \n`,
  ].join('\n\n');
}
