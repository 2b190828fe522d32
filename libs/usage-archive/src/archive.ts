import { type ObjectStorage } from '@inference/storage';
import { type Client } from 'pg';
import { readArchiveId } from './database/archived-days.repository';
import { dayText } from './files/manifest';

/** What the storage has of the usage events of one database. */
export class Archive {
  constructor(
    readonly storage: ObjectStorage,
    private readonly id: string,
  ) {}

  static async open(client: Client, storage: ObjectStorage): Promise<Archive> {
    return new Archive(storage, await readArchiveId(client));
  }

  /** Key of a file of a day. No other database has it, so that sites with one storage do not replace each other's files. */
  key(day: Date, name: string): string {
    return `usage-events/${this.id}/${dayText(day)}/${name}`;
  }

  manifestKey(day: Date): string {
    return this.key(day, 'manifest.json');
  }
}
