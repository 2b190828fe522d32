import { TextField } from '@inference/dto';

export class FilePath {
  @TextField({ description: 'The key of the file.', example: 'pkg_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  key!: string;
}
