import { useEffect, useRef, type ReactNode } from 'react';
import { Link } from 'wouter';

interface NavigationLinkProps {
  readonly to: string;
  /** Whether the page that it leads to is shown. */
  readonly isCurrent: boolean;
  readonly children: ReactNode;
}

/** A link of a navigation. The current one is scrolled into view, since on a phone a navigation is wider than the screen. */
export function NavigationLink({ to, isCurrent, children }: NavigationLinkProps) {
  const link = useRef<HTMLAnchorElement>(null);
  const shownAtWidth = useRef(0);
  // After each render: a count beside another link, which comes later, moves this one.
  useEffect(() => {
    const width = isCurrent ? (link.current?.parentElement?.scrollWidth ?? 0) : 0;
    if (width !== 0 && width !== shownAtWidth.current) show(link.current);
    shownAtWidth.current = width;
  });
  // A turned phone is narrower, and the navigation as wide as before.
  useEffect(() => {
    if (!isCurrent) return undefined;
    const showAgain = () => show(link.current);
    addEventListener('resize', showAgain);
    return () => removeEventListener('resize', showAgain);
  }, [isCurrent]);
  return (
    <Link ref={link} to={to} aria-current={isCurrent ? 'page' : undefined}>
      {children}
    </Link>
  );
}

function show(link: HTMLElement | null): void {
  link?.scrollIntoView({ block: 'nearest', inline: 'center' });
}
