import { Button, Group, Pagination, Select, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { type ChineseTexts, defineTexts } from '../language/define-texts';
import { EmptyState } from './empty-state';
import classes from './list-tools.module.css';
import { existingPage, type ListView, PAGE_ROWS } from './list-view';

const en = {
  search: 'Search',
  sort: 'Order',
  pages: 'Pages',
  page: 'Page {{number}}',
  next: 'Next page',
  previous: 'Previous page',
  shown: '{{first}}–{{last}} of {{count}}',
  'nothing.text': 'Try another word, or a part of the name.',
} as const;

const zh: ChineseTexts<typeof en> = {
  search: '搜索',
  sort: '排序',
  pages: '分页',
  page: '第 {{number}} 页',
  next: '下一页',
  previous: '上一页',
  shown: '第 {{first}}–{{last}} 项，共 {{count}} 项',
  'nothing.text': '请换一个关键词，或只输入名称的一部分。',
};

const useListTexts = defineTexts('list-tools', en, zh);

const TYPING_MILLIS = 250;

interface Props<Order extends string> {
  /** What the search looks for, such as "Name or id". */
  hint: string;
  /** The first one is the order without a choice. */
  orders: { value: Order; label: string }[];
  view: ListView<Order>;
  /** Gets a view that begins at the first page. */
  onChange: (view: ListView<Order>) => void;
  maxLength?: number;
}

/** The search and the order of a list. The search follows what is typed, a moment later. */
export function ListTools<Order extends string>({ hint, orders, view, onChange, maxLength }: Props<Order>) {
  const t = useListTexts();
  const { q = '', sort = orders[0]!.value } = view;
  const [text, setText] = useState(q);
  const sent = useRef(q);
  // Another part of the page has changed the search, or somebody went back.
  useEffect(() => {
    if (q !== sent.current) setText(q);
    sent.current = q;
  }, [q]);
  const change = (changed: { q?: string; sort?: Order }) => {
    const { q: words, sort: order } = { q, sort, ...changed };
    onChange({
      ...(words.trim() !== '' && { q: words }),
      ...(order !== orders[0]!.value && { sort: order }),
    });
  };
  const search = useDebouncedCallback((typed: string) => {
    sent.current = typed.trim() === '' ? '' : typed;
    change({ q: typed });
  }, TYPING_MILLIS);
  return (
    <div role="search" className={classes.tools}>
      <TextInput
        type="search"
        className={classes.search}
        label={t('search')}
        placeholder={hint}
        leftSection={<Search size={16} />}
        maxLength={maxLength}
        value={text}
        onChange={({ currentTarget: { value } }) => {
          setText(value);
          search(value);
        }}
      />
      <Select
        className={classes.sort}
        label={t('sort')}
        data={orders}
        value={sort}
        onChange={(order) => order && change({ sort: order as Order })}
        allowDeselect={false}
      />
    </div>
  );
}

interface NothingProps {
  title: string;
  /** The button that ends the search. */
  allText: string;
  onAll: () => void;
}

/** Stands where a list would be in which the search finds nothing. */
export function NothingFound({ title, allText, onAll }: NothingProps) {
  const t = useListTexts();
  return (
    <EmptyState
      title={title}
      action={
        <Button variant="default" onClick={onAll}>
          {allText}
        </Button>
      }
    >
      {t('nothing.text')}
    </EmptyState>
  );
}

interface PagesProps {
  rows: number;
  page?: number | undefined;
  onChange: (page: number) => void;
}

/** The pages of a list that is held whole. Nothing for a single one. */
export function ListPages({ rows, page = 1, onChange }: PagesProps) {
  const t = useListTexts();
  if (rows <= PAGE_ROWS) return null;
  const shown = existingPage(page, rows);
  const first = (shown - 1) * PAGE_ROWS + 1;
  return (
    <Group justify="space-between" gap="sm">
      <Text size="sm" c="dimmed" role="status">
        {t('shown', { first, last: Math.min(rows, first + PAGE_ROWS - 1), count: rows })}
      </Text>
      <Pagination
        component="nav"
        aria-label={t('pages')}
        size="sm"
        total={Math.ceil(rows / PAGE_ROWS)}
        value={shown}
        onChange={onChange}
        getItemProps={(number) => ({ 'aria-label': t('page', { number }) })}
        getControlProps={(control) => ({
          'aria-label': t(control === 'next' || control === 'last' ? 'next' : 'previous'),
        })}
      />
    </Group>
  );
}
