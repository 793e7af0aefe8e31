// The switch between light and dark, shared with reports, and the colours that canvases take from it.
import { useEffect, useRef } from "preact/hooks";
import { onThemeChange, startTheme, theme } from "../../shared/theme.ts";
import { palette, readPalette } from "../draw/palette.ts";

export function applyTheme(): void {
  document.documentElement.dataset["scheme"] = theme();
  palette.value = readPalette();
}

export function ThemeButton() {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!button.current) return;
    startTheme(button.current);
    onThemeChange(applyTheme);
  }, []);
  return <button type="button" ref={button} />;
}
