// Tables, plots, heat maps and the progress line as text.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "app/terminal/canvas.h"
#include "app/terminal/heat_map.h"
#include "app/terminal/plot.h"
#include "app/terminal/progress.h"
#include "app/terminal/text_table.h"
#include "lab/results/seed_curve.h"

namespace atto {
namespace {

Terminal plain(size_t width) { return {false, false, width}; }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Table, AlignsWrapsAndNotes) {
  Table table({{"id"}, {"n", Align::right}, {"text", Align::left, true}});
  table.row({"α", "7", "one two three four"});
  table.note("under it");
  table.row({"beta", "128", "five"});
  EXPECT_EQ(table.render(plain(27)),
            "id      n  text\n"
            "α       7  one two three\n"
            "           four\n"
            "      under it\n"
            "beta  128  five\n");
}

TEST(Table, ColourDoesNotShiftColumns) {
  Table table({{"a"}, {"b"}});
  table.row({{"x", Style::bad}, "y"});
  EXPECT_EQ(table.render({true, true, 80}), "\x1b[1ma\x1b[0m  \x1b[1mb\x1b[0m\n\x1b[31mx\x1b[0m  y\n");
}

TEST(Canvas, EachDotHasItsBit) {
  Canvas canvas(2, 1);
  canvas.dot(0, 0);
  canvas.dot(1, 3);
  canvas.dot(2, 1);
  canvas.dot(-1, 0);  // clipped
  canvas.dot(4, 0);
  EXPECT_EQ(canvas.row(0), "⢁⠂");
}

TEST(Canvas, LinesJoinTheirEnds) {
  Canvas canvas(2, 1);
  canvas.line(0, 0, 3, 3);
  EXPECT_EQ(canvas.row(0), "⠑⢄");
  Canvas back(2, 1);
  back.line(3, 3, 0, 0);
  EXPECT_EQ(back.row(0), "⠑⢄") << "the same line drawn the other way round";
}

TEST(Plot, AFallingCurveFallsAndCarriesItsScale) {
  const Curve curve{{0, 100}, {4, 1}, {4, 1}, {4, 1}};
  const auto lines = lines_of(plot_curve(curve, {31, 6}));
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_TRUE(lines[0].starts_with("        4 │⠉")) << lines[0];
  EXPECT_TRUE(lines[3].starts_with("        1 │ ")) << lines[3];
  EXPECT_TRUE(lines[3].ends_with("⣄")) << lines[3];
  EXPECT_EQ(lines[5], "           0                100");
}

TEST(Plot, TheBandIsShadedAndGapsAreTolerated) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const Curve curve{{0, 10, 20}, {0, 0, kNan}, {5, 5, kNan}, {10, 10, kNan}};
  const std::string text = plot_curve(curve, {40, 10});
  EXPECT_NE(text.find("░"), std::string::npos);
  EXPECT_EQ(plot_curve({{0}, {kNan}, {kNan}, {kNan}}, {40, 10}), "  (no finite values to draw)\n");
}

TEST(Plot, ALogScaleSpreadsPowersEvenly) {
  const Curve curve{{0, 1, 2}, {1, 10, 100}, {1, 10, 100}, {1, 10, 100}};
  const Curve straight{{0, 1, 2}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2}};
  const auto canvas_of = [](const std::string& text) {
    std::string drawn;
    for (const std::string& line : lines_of(text)) drawn += line.substr(std::min<size_t>(line.size(), 10)) + "\n";
    return drawn;
  };
  const auto log_lines = lines_of(canvas_of(plot_curve(curve, {40, 10}, true)));
  const auto lines = lines_of(canvas_of(plot_curve(straight, {40, 10})));
  for (size_t i = 0; i < 9; ++i) EXPECT_EQ(log_lines[i], lines[i]);
}

TEST(Plot, PathsEndInTheirNumber) {
  const std::string text = plot_paths({{{0, 0}, {1, 1}}, {{0, 0}, {-1, -1}}}, {40, 12});
  const auto lines = lines_of(text);
  EXPECT_NE(lines.front().find('0'), std::string::npos) << text;
  EXPECT_NE(text.find('1'), std::string::npos) << text;
}

TEST(HeatMap, ShadesGrowWithTheValue) {
  const HeatMap map{"d", "C", {"2", "10"}, {"4", "100"}, {0.0, 1.0, 0.5, std::nullopt}, 0, 1};
  const auto lines = lines_of(render(map, plain(80)));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0], "    C");
  EXPECT_EQ(lines[2], " 2       0  ██   1");
  EXPECT_EQ(lines[3], "10  ▒▒ 0.5       ·");
}

TEST(HeatMap, BlocksAreTwoColumnsWide) {
  EXPECT_EQ(shade_blocks(std::vector{1.0, 0.0, 0.5, 0.25}, 2, 2), "  ██  \n  ▒▒░░\n");
}

Recording recording(std::vector<int64_t> steps, std::vector<double> values) {
  Recording run;
  run.series.push_back({"loss", {}, std::move(steps), std::move(values)});
  return run;
}

TEST(Curves, AStoppedRunKeepsItsLastValueAndADivergedOneDropsOut) {
  const Recording stopped = recording({0, 5}, {4, 1}), whole = recording({0, 10, 20}, {4, 3, 2});
  Recording diverged = recording({0, 10}, {4, 9});
  diverged.diverged_at = 10;
  const Curve curve = curve_over_seeds({stopped, whole, diverged}, "loss");
  EXPECT_EQ(curve.steps, (std::vector<double>{0, 5, 10, 20}));
  EXPECT_EQ(curve.middle, (std::vector<double>{4, 4, 2, 1.5}));
}

Progress progress(int64_t done, double fraction, double seconds) {
  Progress one;
  one.total = 96;
  one.cached = 12;
  one.done = done;
  one.steps_fraction = fraction;
  one.seconds = seconds;
  return one;
}

TEST(ProgressText, TellsCountsRateAndTimeLeft) {
  EXPECT_EQ(progress_line("tiny", progress(30, 0.25, 10)), "tiny: 42/96 runs, 12 cached, 3 runs/s, 30 s left");
  const std::string bar = progress_bar("tiny", progress(30, 0.25, 10), 80);
  EXPECT_TRUE(bar.starts_with("tiny ━")) << bar;
  EXPECT_TRUE(bar.ends_with("─ 42/96 runs · 12 cached · 3 runs/s · 30 s left")) << bar;
  for (size_t width = 10; width < 120; ++width)
    EXPECT_LE(text_width(progress_bar("tiny", progress(30, 0.25, 10), width)), width);
}

TEST(ProgressText, PlainLinesAreRare) {
  std::ostringstream out;
  ProgressDisplay display(out, plain(100));
  display.begin("tiny");
  for (int tenth = 0; tenth <= 120; ++tenth) display.update(progress(tenth / 30, tenth / 500.0, tenth / 10.0));
  // At the first finished run (3 s), then 5 s later.
  EXPECT_EQ(lines_of(out.str()).size(), 2u) << out.str();
}

TEST(ProgressText, ATerminalLineIsRedrawnAndCleared) {
  std::ostringstream out;
  ProgressDisplay display(out, {true, true, 80});
  display.begin("tiny");
  display.update(progress(1, 0.5, 1));
  display.update(progress(2, 0.6, 2));
  display.end();
  EXPECT_EQ(out.str().find('\n'), std::string::npos);
  EXPECT_TRUE(out.str().ends_with("\r\x1b[K"));
}

TEST(Plot, AgreementDrawsPointsAboutTheDiagonal) {
  const std::string plot = plot_agreement({{1, 1}, {10, 10}, {100, 100}, {-1, 5}, {5, std::nan("")}}, {40, 12});
  EXPECT_EQ(std::count(plot.begin(), plot.end(), 'o'), 3);
  EXPECT_NE(plot.find("100 │"), std::string::npos) << plot;
  EXPECT_NE(plot_agreement({{0, 1}}, {40, 12}).find("no finite values"), std::string::npos);
  EXPECT_NE(plot_agreement({{7, 7}}, {40, 12}).find('o'), std::string::npos) << "one point has no range";
}

}  // namespace
}  // namespace atto
