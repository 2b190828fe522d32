import {
  Activity,
  ArrowDownToLine,
  ArrowLeftRight,
  Bot,
  Boxes,
  ChartColumn,
  ChartPie,
  CreditCard,
  FileText,
  Gauge,
  GraduationCap,
  KeyRound,
  Landmark,
  LayoutDashboard,
  LibraryBig,
  type LucideIcon,
  Megaphone,
  MessageSquareText,
  Receipt,
  Rocket,
  ScrollText,
  Settings,
  ShieldCheck,
  Tags,
  Users,
  Wallet,
} from 'lucide-react';
import { type PlainTextKey } from '../language/define-texts';
import { type Role, useAccount } from '../api/account';
import { type en } from './layout-texts';

export interface Area {
  /** Path of a route. */
  to: string;
  text: PlainTextKey<typeof en>;
  icon: LucideIcon;
  /** Only for accounts of these roles. */
  roles?: Role[];
}

export interface AreaGroup {
  text: PlainTextKey<typeof en>;
  /** Only for accounts of these roles. */
  roles?: Role[];
  areas: Area[];
}

/** The areas in the sidebar and in the command palette, in their order. */
const AREA_GROUPS: AreaGroup[] = [
  { text: 'group.start', areas: [{ to: '/overview', text: 'area.overview', icon: LayoutDashboard }] },
  {
    text: 'group.develop',
    areas: [
      { to: '/keys', text: 'area.keys', icon: KeyRound },
      { to: '/limits', text: 'area.limits', icon: Gauge },
      { to: '/playground', text: 'area.playground', icon: MessageSquareText },
      { to: '/agents', text: 'area.agents', icon: Bot },
      { to: '/workspaces', text: 'area.workspaces', icon: LibraryBig },
      { to: '/training', text: 'area.training', icon: GraduationCap },
    ],
  },
  {
    text: 'group.billing',
    areas: [
      { to: '/usage', text: 'area.usage', icon: ChartColumn },
      { to: '/requests', text: 'area.requests', icon: ScrollText },
      { to: '/top-up', text: 'area.topUp', icon: Wallet },
      { to: '/payments', text: 'area.payments', icon: Receipt },
      { to: '/invoices', text: 'area.invoices', icon: FileText },
      { to: '/transactions', text: 'area.transactions', icon: ArrowLeftRight },
      { to: '/cost-report', text: 'area.costReport', icon: ChartPie, roles: ['analyst', 'admin'] },
    ],
  },
  { text: 'group.account', areas: [{ to: '/settings', text: 'area.settings', icon: Settings }] },
  {
    text: 'group.admin',
    roles: ['admin'],
    areas: [
      { to: '/admin/accounts', text: 'area.adminAccounts', icon: Users },
      { to: '/admin/payments', text: 'area.adminPayments', icon: CreditCard },
      { to: '/admin/events', text: 'area.adminEvents', icon: ShieldCheck },
      { to: '/admin/health', text: 'area.adminHealth', icon: Activity },
      { to: '/admin/pricing', text: 'area.adminPricing', icon: Tags },
      { to: '/admin/exchange-rates', text: 'area.adminRates', icon: Landmark },
      { to: '/admin/models', text: 'area.adminPackages', icon: Boxes },
      { to: '/admin/releases', text: 'area.adminReleases', icon: Rocket },
      { to: '/admin/changelog', text: 'area.adminChangelog', icon: Megaphone },
      { to: '/admin/downloads', text: 'area.adminDownloads', icon: ArrowDownToLine },
    ],
  },
];

/** The areas that the signed-in account may use. */
export function useAreaGroups(): AreaGroup[] {
  const role = useAccount().data?.role;
  const isOpen = ({ roles }: { roles?: Role[] }) =>
    roles === undefined || (role !== undefined && roles.includes(role));
  return AREA_GROUPS.filter(isOpen).map((group) => ({ ...group, areas: group.areas.filter(isOpen) }));
}
