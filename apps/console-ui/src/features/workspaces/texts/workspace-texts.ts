import { defineTexts } from '../../../language/define-texts';
import { en } from './en';
import { zh } from './zh';

export const useWorkspaceTexts = defineTexts('workspaces', en, zh);
