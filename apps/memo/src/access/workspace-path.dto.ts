import { IdField } from '@inference/dto';

export class WorkspacePath {
  @IdField({ description: 'The id of the workspace.', noun: 'workspace', prefix: 'ws' })
  workspace_id!: string;
}
