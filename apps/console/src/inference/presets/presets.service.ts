import { Database, isUniqueViolation, newId } from '@inference/database';
import { type PageQuery, readPage } from '@inference/http';
import { BadRequestException, ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { lockAccount } from '../../accounts/credentials.repository';
import { type Preset } from './preset.entity';
import { type PresetDto, type PresetListResponse, type PresetResponse } from './presets.dto';
import {
  countPresets,
  deletePreset,
  findPreset,
  insertPreset,
  listPresets,
  type PresetContent,
  replacePreset,
} from './presets.repository';

/** Chosen: more are hard to tell apart in a list, and all of them take 6 MiB. */
export const MAX_PRESETS = 100;
/** Chosen: room for a long system prompt and some dozen tools. */
export const MAX_SETTINGS_BYTES = 65_536;

const notFound = () => new NotFoundException('no such preset');

/** Saves models with their parameters under names. */
@Injectable()
export class PresetsService {
  constructor(private readonly database: Database) {}

  async list(accountId: string, query: PageQuery): Promise<PresetListResponse> {
    const { rows, nextCursor } = await readPage(`presets:${accountId}`, query, (after, count) =>
      listPresets(this.database, accountId, after, count),
    );
    return { presets: rows.map(responseOf), next_cursor: nextCursor };
  }

  async find(accountId: string, id: string): Promise<PresetResponse> {
    const preset = await findPreset(this.database, { id, accountId });
    if (!preset) throw notFound();
    return responseOf(preset);
  }

  /** Throws 409 if the account has too many presets, or one of the name. */
  async create(accountId: string, body: PresetDto): Promise<PresetResponse> {
    const content = contentOf(body);
    const id = newId('preset');
    await withUniqueName(() =>
      this.database.transaction(async (transaction) => {
        // Presets that are made at the same time are all counted.
        await lockAccount(transaction, accountId);
        if ((await countPresets(transaction, accountId)) >= MAX_PRESETS)
          throw new ConflictException(`an account has at most ${MAX_PRESETS} presets; delete one first`);
        await insertPreset(transaction, { id, accountId, ...content });
      }),
    );
    return this.find(accountId, id);
  }

  async replace(accountId: string, id: string, body: PresetDto): Promise<PresetResponse> {
    const content = contentOf(body);
    const isFound = await withUniqueName(() => replacePreset(this.database, { id, accountId }, content));
    if (!isFound) throw notFound();
    return this.find(accountId, id);
  }

  async remove(accountId: string, id: string): Promise<void> {
    if (!(await deletePreset(this.database, { id, accountId }))) throw notFound();
  }
}

async function withUniqueName<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error)) throw new ConflictException('name: the account has a preset of this name');
    throw error;
  }
}

function contentOf({ name, settings }: PresetDto): PresetContent {
  const text = JSON.stringify(settings);
  if (Buffer.byteLength(text) > MAX_SETTINGS_BYTES)
    throw new BadRequestException(`settings: must have at most ${MAX_SETTINGS_BYTES} bytes of JSON`);
  return { name, settings: text };
}

const responseOf = ({ id, name, settings, createdAt, updatedAt }: Preset): PresetResponse => ({
  id,
  name,
  settings: JSON.parse(settings) as Record<string, unknown>,
  created_at: createdAt.toISOString(),
  updated_at: updatedAt.toISOString(),
});
