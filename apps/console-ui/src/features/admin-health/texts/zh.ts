import { type ChineseTexts } from '../../../language/text-types';
import { type en } from './en';

export const zh: ChineseTexts<typeof en> = {
  title: '服务状态',
  description: '控制台每十秒检查一次本站的所有服务。',
  service: '服务',
  status: '状态',
  'status.ok': '正常',
  'status.unhealthy': '异常',
  'status.unavailable': '无响应',
  latency: '响应时间',
  'latency.value': '{{milliseconds}} 毫秒',
  url: '地址',
  problem: '问题',
  'problem.database': '无法连接数据库',
  'problem.unreachable': '无法连接',
  'problem.slow': '3 秒内没有响应',
  since: '状态开始于',
  'since.hint': '以本页面观察到的时间为准',
  allWell: '所有服务正常',

  some_other: '{{count}} 个服务有问题',
  checked: '检查时间',
  'name.console': '控制台',
  'name.gateway': '网关',
  'name.router-cost': '路由费用',
  'name.training': '训练',
  'name.agent': '智能体',
  'name.memo': '知识库',
  'name.agent-environments': '智能体环境',
};
