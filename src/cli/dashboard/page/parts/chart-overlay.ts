// What is drawn over the candles: outages as hatched bands, and the account's own orders as dashed lines with their side;
// those in doubt as solid ones.
import type {
  IChartApi,
  IPrimitivePaneRenderer,
  IPrimitivePaneView,
  ISeriesApi,
  ISeriesPrimitive,
  SeriesAttachedParameter,
} from 'lightweight-charts';
import type { OutageBand } from '../views/candle-places.js';

export interface OrderLine {
  readonly price: number;
  readonly text: string;
  /** `old`: it was open when orders were last seen. */
  readonly kind: 'doubt' | 'open' | 'old';
}

export type OverlayColors = Readonly<Record<'own' | 'stale' | 'surface' | 'frame' | 'ink' | 'font', string>>;

type Target = Parameters<IPrimitivePaneRenderer['draw']>[0];
const spacing = 7;
const labelInset = 8;
const labelHeight = 16;

export class ChartOverlay implements ISeriesPrimitive {
  #chart: IChartApi | undefined;
  #series: ISeriesApi<'Candlestick'> | undefined;
  #redraw: (() => void) | undefined;
  #lines: readonly OrderLine[] = [];
  #bands: readonly OutageBand[] = [];
  #colors: OverlayColors;
  readonly #views: readonly IPrimitivePaneView[];

  constructor(colors: OverlayColors) {
    this.#colors = colors;
    this.#views = [
      {
        zOrder: () => 'top',
        renderer: () => ({
          draw: (target) => {
            this.#draw(target);
          },
        }),
      },
    ];
  }

  attached({ chart, series, requestUpdate }: SeriesAttachedParameter): void {
    this.#chart = chart;
    this.#series = series as ISeriesApi<'Candlestick'>;
    this.#redraw = requestUpdate;
  }

  paneViews(): readonly IPrimitivePaneView[] {
    return this.#views;
  }

  show(lines: readonly OrderLine[], bands: readonly OutageBand[], colors: OverlayColors): void {
    this.#lines = lines;
    this.#bands = bands;
    this.#colors = colors;
    this.#redraw?.();
  }

  #draw(target: Target): void {
    target.useMediaCoordinateSpace(({ context, mediaSize }) => {
      context.save();
      context.font = this.#colors.font;
      for (const band of this.#bands) this.#drawBand(context, band, mediaSize);
      const labels: number[] = [];
      for (const line of this.#lines) {
        const y = this.#series?.priceToCoordinate(line.price) ?? null;
        if (y === null) continue;
        this.#drawLine(context, line, y, mediaSize.width);
        // Two texts over each other say nothing: the first one stays.
        if (labels.some((other) => Math.abs(other - y) < labelHeight)) continue;
        labels.push(y);
        this.#drawLabel(context, line, y);
      }
      context.restore();
    });
  }

  #drawBand(
    context: CanvasRenderingContext2D,
    { from, to, text }: OutageBand,
    { width, height }: { readonly width: number; readonly height: number },
  ): void {
    const start = this.#xOf(from);
    if (start === undefined) return;
    const end = to === null ? width : (this.#xOf(to) ?? width);
    // Short ones stay visible.
    const [left, right] = [Math.max(0, start), Math.max(start + 2, Math.min(width, end))];
    if (right <= left) return;
    context.save();
    context.beginPath();
    context.rect(left, 0, right - left, height);
    context.clip();
    context.strokeStyle = this.#colors.frame;
    context.globalAlpha = 0.55;
    context.beginPath();
    for (let x = left - height; x < right; x += spacing) {
      context.moveTo(x, height);
      context.lineTo(x + height, 0);
    }
    context.stroke();
    context.restore();
    if (to !== null) return;
    context.strokeStyle = this.#colors.frame;
    context.setLineDash([3, 3]);
    context.beginPath();
    context.moveTo(left, 0);
    context.lineTo(left, height);
    context.stroke();
    context.setLineDash([]);
    context.fillStyle = this.#colors.ink;
    context.textAlign = 'right';
    context.fillText(text, left - 6, 18);
    context.textAlign = 'left';
  }

  #colorOf({ kind }: OrderLine): string {
    const { frame, own, stale } = this.#colors;
    return { doubt: frame, open: own, old: stale }[kind];
  }

  #drawLine(context: CanvasRenderingContext2D, line: OrderLine, y: number, width: number): void {
    context.strokeStyle = this.#colorOf(line);
    context.setLineDash(line.kind === 'doubt' ? [] : [2, 2]);
    context.beginPath();
    context.moveTo(0, Math.round(y) + 0.5);
    context.lineTo(width, Math.round(y) + 0.5);
    context.stroke();
    context.setLineDash([]);
  }

  #drawLabel(context: CanvasRenderingContext2D, line: OrderLine, y: number): void {
    const { width } = context.measureText(line.text);
    context.fillStyle = this.#colors.surface;
    context.fillRect(labelInset - 4, y - labelHeight / 2, width + 8, labelHeight);
    context.fillStyle = this.#colorOf(line);
    context.textBaseline = 'middle';
    context.fillText(line.text, labelInset, y);
    context.textBaseline = 'alphabetic';
  }

  #xOf(position: number): number | undefined {
    const scale = this.#chart?.timeScale();
    const whole = Math.floor(position);
    // The scale knows places of whole candles only.
    const x = scale?.logicalToCoordinate(whole as never) ?? null;
    const next = scale?.logicalToCoordinate((whole + 1) as never) ?? null;
    return x === null || next === null ? undefined : x + (next - x) * (position - whole);
  }
}
