// atto predict: how long the theory of emergence expects a plateau to last, and why.
#include <unistd.h>

#include <cmath>
#include <iostream>

#include "app/number_list.h"
#include "app/terminal/text_table.h"
#include "app/verbs/verbs.h"
#include "base/error.h"
#include "lab/results/json.h"
#include "theory/gradient_flow.h"
#include "theory/linear_theory.h"

namespace atto {
namespace {

struct Question {
  Regression problem;
  double threshold = 0;
};

struct Prediction {
  Question question;
  double growth_rate = 0, closed_form = 0;
  std::optional<double> flow;  // none: not within the horizon
};

// Whole numbers as such, so that a field of whole numbers takes them.
Value value_of(double number) {
  if (number == std::floor(number) && std::abs(number) < 9e15) return static_cast<int64_t>(number);
  return number;
}

// Every combination of the options' numbers, the last option changing fastest.
std::vector<Question> questions(const PredictOptions& options) {
  const auto lengths = parse_numbers("--length", options.length, NumberKind::whole);
  const auto dimensions = parse_numbers("--dimension", options.dimension, NumberKind::whole);
  const auto repeats = parse_numbers("--repeat", options.repeat, NumberKind::whole);
  const auto crosses = parse_numbers("--cross", options.cross, NumberKind::real);
  const auto thresholds = parse_numbers("--threshold", options.threshold, NumberKind::real);
  double count = 1;
  for (const auto* axis : {&lengths, &dimensions, &repeats, &crosses, &thresholds})
    count *= static_cast<double>(axis->size());
  if (count > static_cast<double>(kMostNumbers))
    throw Error(ErrorKind::usage, "these options combine to " + number_text(count) + " problems",
                "ask for at most " + count_text(kMostNumbers) + " at a time");

  std::vector<Question> all;
  Question question;
  const auto set = [&question](const char* key, double number) {
    regression_schema().at(key).set(question.problem, value_of(number));
  };
  try {
    for (const double length : lengths) {
      set("length", length);
      for (const double dimension : dimensions) {
        set("dimension", dimension);
        for (const double repeat : repeats) {
          set("repeat", repeat);
          for (const double cross : crosses) {
            set("cross", cross);
            validate(question.problem);
            for (const double threshold : thresholds) {
              validate_threshold(threshold);
              question.threshold = threshold;
              all.push_back(question);
            }
          }
        }
      }
    }
  } catch (const Error& error) {
    // The message begins with the name of the field, which is that of the option.
    throw Error(ErrorKind::usage, std::string("--") + error.what(),
                error.remedy().empty() ? "`atto predict --help` explains the options" : error.remedy());
  }
  return all;
}

std::optional<double> plateau(const Question& question) {
  return crossing(question.problem, question.threshold, LossKind::test);
}

Prediction answer(const Question& question) {
  return {question, growth_rate(question.problem), escape_time(question.problem, question.threshold),
          plateau(question)};
}

Json prediction_json(const Prediction& prediction) {
  const Regression& problem = prediction.question.problem;
  return {{"length", problem.length},
          {"dimension", problem.dimension},
          {"repeat", problem.repeat},
          {"cross", problem.cross},
          {"threshold", prediction.question.threshold},
          {"closed_form", prediction.closed_form},
          {"flow", number_json(prediction.flow)},
          {"growth_rate", prediction.growth_rate}};
}

// Four digits, or all of them where that is a whole number people can read.
std::string time_text(double time) {
  return time >= 1000 && time < 1e9 ? count_text(std::llround(time)) : number_text(time);
}
std::string time_text(std::optional<double> time) {
  return time ? time_text(*time) : "not within " + number_text(GradientFlow::kHorizon);
}
std::string times_text(double factor) { return "× " + number_text(factor); }

constexpr const char* kUnits =
    "Times are steps × learning rate of gradient descent, until the loss on data without cross-sample repetition\n"
    "falls to the threshold's fraction of its start. The B copies of the relevant token share one score, as where\n"
    "attention goes by content; with a free score for each position, B copies count as √B.\n";

// All the digits it was given with: 0.999999 is not 1.
std::string exact_text(double number) { return to_text(value_of(number)); }

std::string table_of(const std::vector<Prediction>& predictions, const Terminal& terminal) {
  Table table({{"length", Align::right},
               {"dimension", Align::right},
               {"repeat", Align::right},
               {"cross", Align::right},
               {"threshold", Align::right},
               {"growth rate", Align::right},
               {"closed form", Align::right},
               {"gradient flow", Align::right}});
  for (const Prediction& one : predictions) {
    const auto& [problem, threshold] = one.question;
    table.row({count_text(problem.length),
               count_text(problem.dimension),
               count_text(problem.repeat),
               exact_text(problem.cross),
               exact_text(threshold),
               number_text(one.growth_rate),
               time_text(one.closed_form),
               {time_text(one.flow), Style::bold}});
  }
  return table.render(terminal) + "\n" + kUnits;
}

// What keeps the loss up when the growth that the closed form speaks of is over.
std::string after_the_growth(const Prediction& prediction) {
  const auto& [problem, threshold] = prediction.question;
  if (problem.cross == 1) return " With cross 1 only the repeated token is ever seen: the rest of W* is never learnt.";
  const double learning = static_cast<double>(problem.dimension) / (1 - problem.cross), tail = 1 / (2 * threshold);
  constexpr double kNoticeably = 1.1;
  const bool outlasts = !prediction.flow || *prediction.flow > kNoticeably * prediction.closed_form;
  if (!outlasts || std::max(learning, tail) < prediction.closed_form) return "";
  const std::string start = " The plateau outlasts this growth: once attention has formed, ";
  if (tail > learning)
    return start + "the loss falls only as 1/(2 × time), to the threshold in the order of " + time_text(tail) + ".";
  return start + (problem.cross > 0 ? "the rest of W*" : "W*") +
         " must be learnt from tokens of variance (1−p)/d, in the order of d/(1−p) = " + time_text(learning) + ".";
}

// The closed form is a product; which of its factors makes it what it is?
std::string factors_of(const Prediction& prediction, const Terminal& terminal) {
  const Regression& problem = prediction.question.problem;
  const double d = static_cast<double>(problem.dimension), p = problem.cross;
  const double length = static_cast<double>(problem.length) / static_cast<double>(problem.repeat);
  const double repeated = p * p * d, rest = (1 - p) * (1 - p);
  const double direction = std::sqrt(d / (repeated + rest));  // 1/λ = length × direction
  const double growth = prediction.closed_form * prediction.growth_rate;
  Table table({{"factor"}, {"", Align::right}, {"what it is", Align::left, true}});
  table.row({"T/B", times_text(length), "sequence length over repeats"});
  table.row({"√d", times_text(std::sqrt(d)), "dimension"});
  if (p > 0)
    table.row({"1/√(p²d + (1−p)²)", times_text(1 / std::sqrt(repeated + rest)),
               "cross-sample repetition: the repeated direction, p²d = " + number_text(repeated) +
                   ", and the rest, (1−p)² = " + number_text(rest)});
  table.row({"½ arcsinh(ε/λ)", times_text(growth),
             "growth from nothing at the rate λ = " + number_text(prediction.growth_rate) +
                 ", ε = " + number_text(1 - prediction.question.threshold)});

  std::string words = length >= direction && length >= growth ? "Sequence length over repeats dominates"
                      : direction >= growth                   ? "The dimension dominates"
                                                              : "The logarithm dominates: the problem is small";
  if (p > 0)
    words += repeated > rest ? "; the repeated direction drives the growth, so that the dimension hardly counts"
                             : "; the rest drives the growth, not the repeated direction";
  words += "." + after_the_growth(prediction);
  std::string text = table.render(terminal);
  for (const std::string& line : wrap(words, terminal.width)) text += line + "\n";
  return text;
}

std::string more_repetition(const Prediction& now, const Terminal& terminal) {
  Table table({{"more repetition"}, {"plateau", Align::right}, {"", Align::right}});
  const auto row = [&](const std::string& name, const Question& question) {
    const std::optional<double> then = plateau(question);
    table.row({name, time_text(then), then && now.flow ? times_text(*then / *now.flow) : "-"});
  };
  Question twice = now.question, shared = now.question;
  twice.problem.repeat *= 2;
  shared.problem.cross += std::min(0.1, (1 - shared.problem.cross) / 2);
  const bool may_repeat = twice.problem.repeat < twice.problem.length;
  const bool may_share = shared.problem.cross < 1 && shared.problem.dimension > 1;
  if (may_repeat) row("repeat " + count_text(twice.problem.repeat) + ": twice as often in each sequence", twice);
  if (may_share) row("cross " + number_text(shared.problem.cross) + ": the same token in more sequences", shared);
  return may_repeat || may_share ? table.render(terminal) + "\n" : "";
}

std::string report_of(const Prediction& prediction, const Terminal& terminal) {
  const auto& [problem, threshold] = prediction.question;
  std::string text = "T = " + count_text(problem.length) + ", d = " + count_text(problem.dimension) +
                     ", B = " + count_text(problem.repeat) + ", p = " + exact_text(problem.cross) +
                     ", until the loss is " + exact_text(threshold) + " of its start\n\n";
  Table table({{"predicted plateau"}, {"", Align::right}, {"", Align::left, true}});
  table.row({{"gradient flow", Style::bold}, {time_text(prediction.flow), Style::bold}, "integrated"});
  table.row({"closed form", time_text(prediction.closed_form),
             "the linear start carried on to the end: shows how plateaus scale"});
  return text + table.render(terminal) + "\n" + factors_of(prediction, terminal) + "\n" +
         more_repetition(prediction, terminal) + kUnits;
}

constexpr const char* kPredictFooter =
    R"(NUMBERS is a number, a list (16,32,64) or a range: 128:4096:x2 multiplies, 0:0.5:+0.1 adds. Several numbers give a
table of all combinations, one gives a report with what dominates and what more repetition would buy.

The task is the paper's toy regression: attend to the one relevant token of T, map it through W*. The loss is that on
data without cross-sample repetition (with --cross 0 also the training loss); time counts steps × learning rate.

Examples
  atto predict --length 512 --dimension 64
  atto predict --length 512 --dimension 64 --repeat 4 --cross 0.1 --threshold 0.1
  atto predict --length 128:4096:x2 --dimension 16,32,64 --json > plateaus.json)";

void describe_predict(VerbOptions& options) {
  PredictOptions& words = options.target().predict;
  const std::string type = "NUMBERS";
  options.required("--length", words.length, type, "T, tokens of a sequence, 2 or more")
      .required("--dimension", words.dimension, type, "d, dimension of a token")
      .preset("--repeat", words.repeat, type, "B, positions of a sequence that hold the relevant token, below T")
      .preset("--cross", words.cross, type, "p, probability that it is the token all sequences share; needs d > 1")
      .preset("--threshold", words.threshold, type, "fraction of the starting loss that ends the plateau");
}

int predict(const Options& options) {
  std::vector<Prediction> predictions;
  for (const Question& question : questions(options.predict)) predictions.push_back(answer(question));
  if (options.json) {
    Json list = Json::array();
    for (const Prediction& prediction : predictions) list.push_back(prediction_json(prediction));
    std::cout << json_text(list);
    return 0;
  }
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  std::cout << (predictions.size() == 1 ? report_of(predictions.front(), terminal) : table_of(predictions, terminal));
  return 0;
}

}  // namespace

Verb predict_verb() {
  return {.help = "How long theory expects a plateau to last, and why",
          .footer = kPredictFooter,
          .describe = describe_predict,
          .perform = predict};
}

}  // namespace atto
