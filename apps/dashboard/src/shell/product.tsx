import { strings } from '../strings.js';

/** The mark and the name of the product. */
export function Product() {
  return (
    <span className="shell-product">
      <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="currentColor" />
        <ellipse cx="8.7" cy="14.6" rx="2.3" ry="3" />
        <ellipse cx="13.3" cy="9.6" rx="2.4" ry="3.2" />
        <ellipse cx="18.7" cy="9.6" rx="2.4" ry="3.2" />
        <ellipse cx="23.3" cy="14.6" rx="2.3" ry="3" />
        <path d="M16 15.2c3.5 0 6.4 3.3 6.4 6.3 0 2-1.5 2.9-3.1 2.9-1.3 0-2.1-.6-3.3-.6s-2 .6-3.3.6c-1.6 0-3.1-.9-3.1-2.9 0-3 2.9-6.3 6.4-6.3z" />
      </svg>
      {strings.product}
    </span>
  );
}
