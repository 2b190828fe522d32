import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** As far from the end as a reader may be who still follows the answer. */
const AT_END_PIXELS = 48;

interface StickyEnd {
  region: RefObject<HTMLDivElement | null>;
  isAtEnd: boolean;
  onScroll: () => void;
  /** Goes to the end, and follows it. */
  toEnd: () => void;
  /** Follows the end from now on. */
  follow: () => void;
}

/** Keeps the end of a region in sight while its content grows, unless the reader has scrolled up. */
export function useStickyEnd(content: unknown): StickyEnd {
  const region = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const goToEnd = useCallback(() => {
    const element = region.current;
    if (element && isFollowing.current) element.scrollTop = element.scrollHeight;
  }, []);
  useLayoutEffect(goToEnd, [content, goToEnd]);
  // Costs, pictures and typesetting arrive after the content.
  useEffect(() => {
    const element = region.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(goToEnd);
    const observeChild = () => {
      observer.disconnect();
      observer.observe(element);
      for (const child of element.children) observer.observe(child);
    };
    const children = new MutationObserver(observeChild);
    children.observe(element, { childList: true });
    observeChild();
    return () => {
      observer.disconnect();
      children.disconnect();
    };
  });
  const lastTop = useRef(0);
  const onScroll = useCallback(() => {
    const element = region.current;
    if (!element) return;
    const { scrollTop, scrollHeight, clientHeight } = element;
    const isNear = scrollHeight - scrollTop - clientHeight <= AT_END_PIXELS;
    // Content that grows moves the end away without anybody scrolling up.
    if (isNear) isFollowing.current = true;
    else if (scrollTop < lastTop.current) isFollowing.current = false;
    lastTop.current = scrollTop;
    setIsAtEnd(isNear || isFollowing.current);
  }, []);
  const follow = useCallback(() => {
    isFollowing.current = true;
    setIsAtEnd(true);
  }, []);
  const toEnd = useCallback(() => {
    follow();
    goToEnd();
  }, [follow, goToEnd]);
  return { region, isAtEnd, onScroll, toEnd, follow };
}

/** Fills the screen below what stands above it, also beside the keyboard of a phone, which covers a part of the page. */
export function useVisibleHeight(): RefObject<HTMLDivElement | null> {
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const fit = () => {
      const element = frame.current;
      if (!element) return;
      const top = element.getBoundingClientRect().top + window.scrollY;
      const visible = window.visualViewport?.height ?? window.innerHeight;
      const below = parseFloat(getComputedStyle(element.parentElement!).paddingBottom);
      element.style.setProperty('--height', `${Math.floor(visible - top - below)}px`);
    };
    fit();
    const observer = new ResizeObserver(fit);
    observer.observe(document.body);
    window.visualViewport?.addEventListener('resize', fit);
    return () => {
      observer.disconnect();
      window.visualViewport?.removeEventListener('resize', fit);
    };
  }, []);
  return frame;
}
