import { type ChineseTexts } from '../../../language/text-types';
import { type en } from './en';

export const zh: ChineseTexts<typeof en> = {
  title: '审计事件',
  description: '登录、安全变更和管理员操作，最新的在前。',
  account: '账户',
  type: '事件',
  'type.all': '全部',
  time: '时间',
  actor: '操作者',
  'actor.self': '账户本人',
  'actor.admin': '管理员',
  'actor.nobody': '未登录',
  address: 'IP 地址',
  details: '详情',
  'empty.title': '没有事件',
  'empty.text': '请更改筛选条件，或显示全部事件。',
  clear: '显示全部事件',
  yes: '是',
  no: '否',
  'event.changelog': '更新日志已更改',
  'event.rates': '汇率已发布',
  'event.model': '模型已更改',
  'event.packageRemoved': '模型包已移除',
  'event.packageUploaded': '模型包已上传',
  'event.prices': '价格已发布',
  'event.release': '发布版本已更改',
};
