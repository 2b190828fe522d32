import { type ChineseTexts, defineTexts } from '../../language/define-texts';

const en = {
  title: 'Download statistics',
  description: 'Downloads of model packages, and lookups of releases. Days are in UTC.',
  from: 'First day',
  'from.late': 'Choose a day that is not after the last day.',
  to: 'Last day',
  'empty.title': 'No downloads in this period',
  'empty.text': 'Choose another period, or publish a model for download.',
  models: 'Models',
  chart: 'Downloads of the most popular models',
  releases: 'Releases',
  all: 'All',
  'column.model': 'Model',
  'column.version': 'Version',
  'column.downloads': 'Downloads',
  'column.accounts': 'Accounts',
  'column.links': 'Links',
  'column.component': 'Component',
  'column.release': 'Release',
  'column.lookups': 'Lookups',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '下载统计',
  description: '模型包的下载次数和版本的查询次数。日期按 UTC 计算。',
  from: '开始日期',
  'from.late': '开始日期不能晚于结束日期。',
  to: '结束日期',
  'empty.title': '该时间段内没有数据',
  'empty.text': '请选择其他日期，或发布可供客户下载的模型。',
  models: '模型',
  chart: '下载最多的模型及其下载次数',
  releases: '版本',
  all: '全部',
  'column.model': '模型',
  'column.version': '版本',
  'column.downloads': '下载次数',
  'column.accounts': '账户数',
  'column.links': '链接数',
  'column.component': '组件',
  'column.release': '版本',
  'column.lookups': '查询次数',
};

export const useAdminDownloadsTexts = defineTexts('admin-downloads', en, zh);
