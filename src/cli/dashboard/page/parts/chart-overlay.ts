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
  readonly isInDoubt: boolean;
}

export type OverlayColors = Readonly<Record<'own' | 'surface' | 'frame' | 'ink' | 'font', string>>;

type Target = Parameters<IPrimitivePaneRenderer['draw']>[0];
const spacing = 7;
const labelInset = 8;

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
      for (const line of this.#lines) this.#drawLine(context, line, mediaSize.width);
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

  #drawLine(context: CanvasRenderingContext2D, { price, text, isInDoubt }: OrderLine, width: number): void {
    const y = this.#series?.priceToCoordinate(price) ?? null;
    if (y === null) return;
    const color = isInDoubt ? this.#colors.frame : this.#colors.own;
    context.strokeStyle = color;
    context.setLineDash(isInDoubt ? [] : [2, 2]);
    context.beginPath();
    context.moveTo(0, Math.round(y) + 0.5);
    context.lineTo(width, Math.round(y) + 0.5);
    context.stroke();
    context.setLineDash([]);
    const size = context.measureText(text);
    context.fillStyle = this.#colors.surface;
    context.fillRect(labelInset - 4, y - 8, size.width + 8, 16);
    context.fillStyle = color;
    context.textBaseline = 'middle';
    context.fillText(text, labelInset, y);
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
