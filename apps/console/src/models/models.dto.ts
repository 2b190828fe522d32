import { BadRequestException, type PipeTransform, Param } from '@nestjs/common';
import { z } from 'zod';
import { slugField } from '../pricing/slug';
import { line } from '../text-fields';
import { fitsXml } from '../xml/escape';

const VERSION = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/;
/** What comes after a slug in a URL can be no part of one. */
const RESERVED = ['packages', 'download'];
const MAX_FILE_NAME = 200;

/** A model's slug as a part of URLs: the segments between its slashes are names. */
export const packageSlug = slugField.refine(
  (slug) => slug.split('/').every((part) => !['', '.', '..', ...RESERVED].includes(part.toLowerCase())),
  `must not have empty parts between slashes, nor . or .. or ${RESERVED.join(' or ')}`,
);

const versionField = z
  .string('must be a text')
  .regex(VERSION, 'must have 1 to 64 of A-Z, a-z, 0-9 and . _ + -, the first one a letter or a digit');

const property = () => line(100).nullish();

/** Everything but `version` is replaced as a whole. */
export const modelBody = z.strictObject({
  name: line(200),
  description: z
    .string('must be a text')
    .max(20_000, 'must have at most 20000 characters')
    .refine(fitsXml, 'must not contain control characters other than tabs and line breaks')
    .default(''),
  family: property(),
  parameters: property(),
  quantization: property(),
  format: property(),
  license: property(),
  /** Of the package that the public gets; null for none; absent: as it is. */
  version: versionField.nullish(),
});
export type ModelBody = z.output<typeof modelBody>;

const isFileName = (name: string) => name !== '.' && name !== '..' && !/[/\\]/.test(name);

export const uploadQuery = z.strictObject({
  /** Under which customers keep the file. */
  file_name: line(MAX_FILE_NAME).refine(isFileName, 'must be a name without a path').optional(),
});
export type UploadQuery = z.output<typeof uploadQuery>;

/** The session's token is there too. */
export const downloadQuery = z.object({ version: versionField.optional() });
export type DownloadQuery = z.output<typeof downloadQuery>;

/** Slugs may contain slashes, which a route with a wildcard gives as a list. */
const joined = (value: unknown) => (Array.isArray(value) ? value.join('/') : value);

class PathPipe implements PipeTransform {
  constructor(
    private readonly name: string,
    private readonly schema: z.ZodType<string>,
  ) {}

  transform(value: unknown): string {
    const { success, data, error } = this.schema.safeParse(joined(value));
    if (!success) throw new BadRequestException(`${this.name}: ${error.issues[0]?.message}`);
    return data;
  }
}

/** The slug in the path of something that is to be written; 400 for what can be none. */
export const NewSlug = () => Param('slug', new PathPipe('slug', packageSlug));
export const NewVersion = () => Param('version', new PathPipe('version', versionField));

class JoinPipe implements PipeTransform {
  transform(value: unknown): string {
    return String(joined(value));
  }
}

/** The slug in the path of something that is to be found. */
export const Slug = () => Param('slug', new JoinPipe());

/** A published package (design: `GET /api/models`). */
export interface ModelView {
  slug: string;
  name: string;
  description: string;
  family: string | null;
  parameters: string | null;
  quantization: string | null;
  format: string | null;
  license: string | null;
  version: string;
  file_name: string;
  /** In bytes. */
  size: number;
  /** Hexadecimal. */
  sha256: string;
  /** ISO 8601: when this version was first published. */
  published_at: string;
}

export interface PackageView {
  slug: string;
  version: string;
  file_name: string;
  size: number;
  /** Null while it is being uploaded. */
  sha256: string | null;
  status: 'uploading' | 'stored' | 'published';
  created_at: string;
  /** The first time. */
  published_at: string | null;
}

/** As admins see a model. */
export interface AdminModelView extends Omit<
  ModelView,
  'version' | 'file_name' | 'size' | 'sha256' | 'published_at'
> {
  /** The published one. */
  version: string | null;
  changed_at: string;
}
