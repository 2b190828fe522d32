import { IntegerParameter, TextField } from '@inference/dto';

/** Query of a list with pages. */
export class PageQuery {
  @IntegerParameter({ description: 'Most entries of a page.', min: 1, max: 100, optional: true, default: 50 })
  limit: number = 50;

  @TextField({ description: 'The `next_cursor` of the previous page.', optional: true, minLength: 0 })
  cursor?: string;
}
