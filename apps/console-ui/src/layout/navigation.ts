import {
  Activity,
  ArrowDownToLine,
  ArrowLeftRight,
  BellRing,
  Bot,
  Boxes,
  ChartColumn,
  ChartPie,
  CircleX,
  CreditCard,
  FileText,
  Gauge,
  GraduationCap,
  KeyRound,
  Landmark,
  LayoutDashboard,
  LibraryBig,
  HardDriveUpload,
  type LucideIcon,
  Megaphone,
  MessageSquareText,
  Percent,
  Receipt,
  Rocket,
  ScrollText,
  Server,
  Settings,
  ShieldCheck,
  SlidersHorizontal,
  Tags,
  TriangleAlert,
  UserCog,
  Users,
  Wallet,
} from 'lucide-react';
import { type PlainTextKey } from '../language/define-texts';
import { useMay } from '../api/account';
import { readAccountView } from '../api/account-view';
import { type en } from './console-layout-texts';

export interface Area {
  /** Path of a route. */
  to: string;
  text: PlainTextKey<typeof en>;
  icon: LucideIcon;
  /** The route for staff that its page reads. The area is for accounts that may use it. */
  needs?: string;
}

export interface AreaGroup {
  text: PlainTextKey<typeof en>;
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
      { to: '/cost-report', text: 'area.costReport', icon: ChartPie, needs: 'GET /api/cost-report' },
    ],
  },
  { text: 'group.account', areas: [{ to: '/settings', text: 'area.settings', icon: Settings }] },
  {
    text: 'group.admin',
    areas: [
      {
        to: '/admin/dashboard',
        text: 'area.adminDashboard',
        icon: Gauge,
        needs: 'GET /api/admin/dashboard',
      },
      {
        to: '/admin/margin',
        text: 'area.adminMargin',
        icon: Percent,
        needs: 'GET /api/admin/reports/margin',
      },
      {
        to: '/admin/unserved',
        text: 'area.adminUnserved',
        icon: CircleX,
        needs: 'GET /api/admin/reports/unserved-calls',
      },
      {
        to: '/admin/exports',
        text: 'area.adminExports',
        icon: HardDriveUpload,
        needs: 'GET /api/admin/exports',
      },
      { to: '/admin/accounts', text: 'area.adminAccounts', icon: Users, needs: 'GET /api/admin/accounts' },
      { to: '/admin/staff', text: 'area.adminStaff', icon: UserCog, needs: 'GET /api/admin/staff' },
      {
        to: '/admin/payments',
        text: 'area.adminPayments',
        icon: CreditCard,
        needs: 'GET /api/admin/billing/payments',
      },
      {
        to: '/admin/provider-events',
        text: 'area.adminProviderEvents',
        icon: TriangleAlert,
        needs: 'GET /api/admin/billing/provider-events',
      },
      { to: '/admin/events', text: 'area.adminEvents', icon: ShieldCheck, needs: 'GET /api/admin/events' },
      { to: '/admin/health', text: 'area.adminHealth', icon: Activity, needs: 'GET /api/admin/health' },
      {
        to: '/admin/upstreams',
        text: 'area.adminUpstreams',
        icon: Server,
        needs: 'GET /api/admin/upstreams',
      },
      {
        to: '/admin/served-models',
        text: 'area.adminServedModels',
        icon: SlidersHorizontal,
        needs: 'GET /api/admin/inference/models',
      },
      {
        to: '/admin/pricing',
        text: 'area.adminPricing',
        icon: Tags,
        needs: 'GET /api/admin/billing/pricing/models',
      },
      {
        to: '/admin/exchange-rates',
        text: 'area.adminRates',
        icon: Landmark,
        needs: 'GET /api/admin/billing/exchange-rates',
      },
      { to: '/admin/models', text: 'area.adminPackages', icon: Boxes, needs: 'GET /api/admin/models' },
      { to: '/admin/releases', text: 'area.adminReleases', icon: Rocket, needs: 'GET /api/admin/releases' },
      {
        to: '/admin/announcements',
        text: 'area.adminAnnouncements',
        icon: BellRing,
        needs: 'GET /api/admin/announcements',
      },
      {
        to: '/admin/changelog',
        text: 'area.adminChangelog',
        icon: Megaphone,
        needs: 'POST /api/admin/changelog',
      },
      {
        to: '/admin/downloads',
        text: 'area.adminDownloads',
        icon: ArrowDownToLine,
        needs: 'GET /api/admin/downloads',
      },
    ],
  },
];

/** What staff sees in the place of a customer: the areas that read nothing but figures and lists of the console. */
const AREAS_IN_VIEW: ReadonlySet<string> = new Set([
  '/overview',
  '/keys',
  '/limits',
  '/usage',
  '/requests',
  '/payments',
  '/invoices',
  '/transactions',
  '/settings',
]);

/** The areas that the signed-in account may use, or that staff sees in the place of a customer. */
export function useAreaGroups(): AreaGroup[] {
  const may = useMay();
  const isView = readAccountView() !== undefined;
  const isOpen = ({ to, needs }: Area) =>
    isView ? AREAS_IN_VIEW.has(to) : needs === undefined || may(needs);
  return AREA_GROUPS.map((group) => ({ ...group, areas: group.areas.filter(isOpen) })).filter(
    ({ areas }) => areas.length > 0,
  );
}

/** The route for staff that the page of this path reads; undefined for a page that is not for staff. */
export const areaNeeds = (pathname: string): string | undefined =>
  AREA_GROUPS.flatMap(({ areas }) => areas).find(({ to }) => pathname === to || pathname.startsWith(`${to}/`))
    ?.needs;
