import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { analystRoute } from '../../app/router/layout-routes';
import { costReportSearchIn } from './cost-report-search';

export const costReportRoutes = [
  createRoute({
    getParentRoute: () => analystRoute,
    path: '/cost-report',
    validateSearch: costReportSearchIn,
    component: lazyRouteComponent(() => import('./cost-report-page'), 'CostReportPage'),
  }),
] as const;
