import { type ChineseTexts, defineTexts } from '../language/define-texts';

const en = {
  title: 'Activities',
  running_one: 'Activities: {{count}} is running',
  running_other: 'Activities: {{count}} are running',
  empty: 'Nothing is running. Uploads, payments, agent answers and exports appear here.',
  clear: 'Clear finished activities',
  'kind.upload': 'Upload',
  'kind.export': 'Export',
  'kind.payment': 'Payment',
  'kind.turn': 'Agent answer',
  'state.running': 'Running',
  'state.done': 'Done',
  'state.failed': 'Failed',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '任务',
  running_other: '任务：{{count}} 个进行中',
  empty: '暂无进行中的任务。上传、付款、智能体对话和导出会显示在这里。',
  clear: '清除已结束的任务',
  'kind.upload': '上传',
  'kind.export': '导出',
  'kind.payment': '付款',
  'kind.turn': '智能体回答',
  'state.running': '进行中',
  'state.done': '已完成',
  'state.failed': '失败',
};

export const useActivityTexts = defineTexts('activities', en, zh);
