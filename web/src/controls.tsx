// The two switches of every page: language and colours.

import { chooseLanguage, chooseTheme, useChoices, useText, type ThemeChoice } from "./context";
import { languageOf, LANGUAGES } from "./text";

const NAMES = { en: "English", de: "Deutsch" };
const THEMES: ThemeChoice[] = ["auto", "light", "dark"];

export function Controls() {
  const text = useText();
  const { language, theme } = useChoices();
  return (
    <div class="controls" role="group" aria-label={text.say("controls")}>
      <label>
        <span class="visually-hidden">{text.say("language")}</span>
        <select value={language} onChange={(event) => chooseLanguage(languageOf(event.currentTarget.value))}>
          {LANGUAGES.map((one) => (
            <option key={one} value={one} lang={one}>
              {NAMES[one]}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span class="visually-hidden">{text.say("theme")}</span>
        <select value={theme} onChange={(event) => chooseTheme(THEMES.find((one) => one === event.currentTarget.value) ?? "auto")}>
          {THEMES.map((one) => (
            <option key={one} value={one}>
              {text.say(`theme-${one}`)}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
