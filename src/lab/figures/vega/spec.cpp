#include "lab/figures/vega/spec.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace atto {

std::string axis_title(const std::string& address) {
  static const std::map<std::string, std::string> kTitles{
      {"loss", "loss"},
      {"loss.test", "loss on test data"},
      {"loss.expected", "expected loss"},
      {"perplexity", "perplexity = exp(loss)"},
      {"perplexity.relative", "(perplexity - 1) / V"},
      {"accuracy", "accuracy"},
      {"accuracy.test", "accuracy on test data"},
      {"embedding.effective_dimension", "effective dimension of the embedding"},
      {"attention.relevant", "attention to the relevant token"},
      {"attention.entropy", "entropy of attention (nats)"},
      {"attention.gap", "score gap Δa"},
      {"weight.projection", "projection of W on W*"},
      {"weight.share", "share of W* learnt"},
      {"weight.equilibrium", "equilibrium of w"},
  };
  if (const auto found = kTitles.find(address); found != kTitles.end()) return found->second;
  constexpr std::string_view kLayer = "layer.", kRank = ".effective_rank";
  if (address.starts_with(kLayer) && address.ends_with(kRank))  // "layer.0.query.effective_rank": legends are narrow
    return "rank of " + axis_title(address.substr(0, address.size() - kRank.size()));
  std::string words = address;
  std::replace(words.begin(), words.end(), '_', ' ');
  std::replace(words.begin(), words.end(), '.', ' ');
  return words;
}

std::string common_title(const std::vector<std::string>& addresses) {
  if (addresses.size() == 1) return axis_title(addresses.front());
  const auto all = [&](const std::string& word) {
    return std::all_of(addresses.begin(), addresses.end(),
                       [&](const std::string& address) { return address.find(word) != std::string::npos; });
  };
  if (all("effective")) return "effective dimension or rank";
  for (const char* word : {"loss", "accuracy", "attention", "weight", "hessian"})
    if (all(word)) return word;
  return "value";
}

Json quantitative(const std::string& field, const std::string& title, Scale scale) {
  Json shape = {{"type", to_word(scale)}};
  if (scale == Scale::linear) shape["zero"] = false;
  return {{"field", field}, {"type", "quantitative"}, {"title", title}, {"scale", shape}};
}

void set_log_ticks(Json& channel, double low, double high) {
  channel["axis"]["format"] = low < 0.5 ? "~g" : "~s";
  const double decades = std::log10(high / low);
  if (decades < 0.5) return;
  Json ticks = Json::array();
  const int step = std::max(1, static_cast<int>(std::ceil(decades / 7)));
  for (int power = static_cast<int>(std::floor(std::log10(low))); power <= std::log10(high); ++power)
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = factor * std::pow(10.0, power);
      const bool wanted = factor == 1 ? power % step == 0 : decades < 2.2;
      if (wanted && tick >= low && tick <= high) ticks.push_back(tick);
    }
  channel["axis"]["values"] = ticks;
}

Json step_axis(Scale scale) {
  Json axis = quantitative("step", "training step", scale);
  axis["axis"] = {{"tickCount", 5}, {"format", ",.0f"}};
  if (scale == Scale::linear) axis["scale"]["nice"] = false;
  return axis;
}

double place_on(const Json& axis, double value, int64_t height) {
  const bool log = axis["scale"]["type"] == "log";
  const auto along = [&](double number) { return log ? std::log(number) : number; };
  const double low = along(axis["scale"]["domain"][0]), high = along(axis["scale"]["domain"][1]);
  return (along(value) - low) / (high - low) * static_cast<double>(height);
}

double value_at(const Json& axis, double place, int64_t height) {
  const bool log = axis["scale"]["type"] == "log";
  const auto along = [&](double number) { return log ? std::log(number) : number; };
  const double low = along(axis["scale"]["domain"][0]), high = along(axis["scale"]["domain"][1]);
  const double value = low + place / static_cast<double>(height) * (high - low);
  return log ? std::exp(value) : value;
}

void set_views(Drawing& drawing, std::vector<Json> views, int64_t columns) {
  for (Json& view : views) {
    if (!view.contains("width")) view["width"] = drawing.layout.width;
    if (!view.contains("height")) view["height"] = drawing.layout.height;
  }
  drawing.layout.panels = std::ssize(views);
  drawing.layout.columns = std::min<int64_t>(columns, std::ssize(views));
  if (views.size() == 1) {
    drawing.spec = std::move(views.front());
    return;
  }
  drawing.spec = {{"concat", std::move(views)}, {"columns", drawing.layout.columns}, {"spacing", 24}};
}

Json checkbox(const std::string& name, const std::string& label, bool initial) {
  return {{"name", name}, {"value", initial}, {"bind", {{"input", "checkbox"}, {"name", label + " "}}}};
}

std::string joined_notices(const std::string& first, const std::string& second) {
  return first + (first.empty() || second.empty() ? "" : "; ") + second;
}

Drawing nothing_to_draw(const std::string& notice) {
  Drawing drawing;
  drawing.notice = notice;
  return drawing;
}

}  // namespace atto
