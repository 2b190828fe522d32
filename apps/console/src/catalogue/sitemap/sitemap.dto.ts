import { TextField } from '@inference/dto';

const NUMBER: [RegExp, string] = [/^[1-9]\d{0,4}$/, 'must be a number from 1 to 99999'];

export class SitemapPath {
  @TextField({
    description: 'Number of the sitemap in the index, from 1.',
    example: '1',
    pattern: NUMBER,
    notFound: 'no such sitemap',
  })
  number!: string;
}
