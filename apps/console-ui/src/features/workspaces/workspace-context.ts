import { createContext, use } from 'react';
import { type UploadQueue } from './documents/upload-queue';
import { type Workspace } from './workspace-queries';

interface OpenWorkspace {
  workspace: Workspace;
  /** Goes on while other parts of the workspace are open. */
  uploads: UploadQueue;
}

const WorkspaceContext = createContext<OpenWorkspace | undefined>(undefined);

export const WorkspaceProvider = WorkspaceContext.Provider;

/** The workspace whose pages are open. */
export function useWorkspace(): OpenWorkspace {
  const open = use(WorkspaceContext);
  if (!open) throw new Error('useWorkspace needs a WorkspaceProvider');
  return open;
}
