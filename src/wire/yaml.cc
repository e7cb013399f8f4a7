#include "wire/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/json_writer.h"
#include "wire/value.h"
#include "wire/yaml_scalar.h"

namespace tamp::wire {
namespace {

constexpr std::size_t kMaxInput = std::size_t{256} << 20;
// Aliases may multiply the text by this much, and every text may grow by the slack, before it counts as a bomb.
constexpr std::size_t kMaxGrowth = 10;
constexpr std::size_t kSlack = std::size_t{16} << 20;

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

// Writes JSON text while the parser reports what it sees. Throws the parser's own exception to stop it; the adapter
// below catches everything.
class JsonEmitter final : public YAML::EventHandler {
 public:
  explicit JsonEmitter(std::size_t input_size) : limit_(input_size * kMaxGrowth + kSlack) {}

  std::vector<std::string> take() { return std::move(documents_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    // The parser answers with empty documents for ever where it meets a token that cannot begin one.
    if (!documents_.empty() && mark.pos <= document_begin_) refuse(mark, "a document cannot begin like this");
    document_begin_ = mark.pos;
    out_.clear();
    anchors_.clear();
    frames_.clear();
  }
  void OnDocumentEnd() override {
    emitted_ += out_.size();
    documents_.push_back(std::move(out_));
    out_.clear();
  }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (expects_key()) refuse(mark, "a key is null");
    const std::size_t begin = before_value(mark);
    out_ += "null";
    after_value(begin, anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const bool plain = tag == "?";
    if (expects_key()) return on_key(mark, plain, value);
    const std::size_t begin = before_value(mark);
    append_scalar(mark, tag, value);
    after_value(begin, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (expects_key()) refuse(mark, "a key is an alias");
    const auto it = anchors_.find(anchor);
    if (it == anchors_.end()) refuse(mark, "an alias refers to the value that it is part of");
    const std::size_t begin = before_value(mark);
    if (frames_.size() + it->second.depth > kMaxDepth) refuse_depth(mark);
    if (emitted_ + out_.size() + it->second.text.size() > limit_) refuse_size(mark);
    out_ += it->second.text;
    after_value(begin, 0, it->second.depth);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, '[', anchor);
  }
  void OnSequenceEnd() override { close(']'); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, '{', anchor);
  }
  void OnMapEnd() override { close('}'); }

 private:
  struct Frame {
    bool map = false;
    std::size_t begin = 0;  // of its text in out_
    YAML::anchor_t anchor = 0;
    bool expects_key = true;
    bool merging = false;  // the value to come is that of a merge key
    std::size_t items = 0;
    std::size_t deepest = 1;          // levels within, itself included
    std::vector<std::size_t> starts;  // of items; only of a sequence that is merged
  };
  struct Anchored {
    std::string text;
    std::size_t depth = 0;
  };

  [[noreturn]] static void refuse(const YAML::Mark& mark, const std::string& why) {
    throw YAML::ParserException(mark, why);
  }
  [[noreturn]] static void refuse_depth(const YAML::Mark& mark) {
    refuse(mark, fmt::format("nested more than {} levels deep", kMaxDepth));
  }
  [[noreturn]] static void refuse_size(const YAML::Mark& mark) {
    refuse(mark, "aliases make the text grow out of proportion");
  }

  bool expects_key() const { return !frames_.empty() && frames_.back().map && frames_.back().expects_key; }

  void on_key(const YAML::Mark& mark, bool plain, const std::string& value) {
    Frame& frame = frames_.back();
    frame.expects_key = false;
    frame.merging = plain && value == "<<";
    if (frame.merging) return;
    if (frame.items++ > 0) out_ += ',';
    const PlainScalar scalar = plain ? resolve_plain(value) : PlainScalar{};
    if (scalar.kind == PlainScalar::Kind::Null) refuse(mark, "a key is null");
    const bool resolved =
        scalar.kind == PlainScalar::Kind::Boolean || scalar.kind == PlainScalar::Kind::Number;
    append_json_string(out_, resolved ? scalar.json : value);
    out_ += ':';
  }

  // Where the value will begin.
  std::size_t before_value(const YAML::Mark& mark) {
    if (emitted_ + out_.size() > limit_) refuse_size(mark);
    if (!frames_.empty() && !frames_.back().map) {
      Frame& frame = frames_.back();
      if (frame.items++ > 0) out_ += ',';
      if (frame.merging) frame.starts.push_back(out_.size());
    }
    return out_.size();
  }

  void after_value(std::size_t begin, YAML::anchor_t anchor, std::size_t depth = 0) {
    if (anchor != 0) {
      std::string text = out_.substr(begin);
      emitted_ += text.size();
      anchors_[anchor] = {std::move(text), depth};
    }
    if (frames_.empty()) return;
    Frame& frame = frames_.back();
    frame.deepest = std::max(frame.deepest, depth + 1);
    if (!frame.map) return;
    frame.expects_key = true;
    if (!frame.merging) return;
    frame.merging = false;
    take_merge(frame, begin);
  }

  // Replaces a merged value by its fields. What is written later wins: so go-yaml has it for the map itself, whatever
  // the standard says, and of several merged maps the first comes last.
  void take_merge(Frame& frame, std::size_t begin) {
    const std::vector<std::size_t> starts = std::exchange(merge_starts_, {});
    const std::string text = out_.substr(begin);
    out_.resize(begin);
    const auto add = [&](std::string_view object) {
      if (!object.starts_with('{')) throw YAML::ParserException(YAML::Mark(), "a merge key needs a map");
      object = object.substr(1, object.size() - 2);
      if (object.empty()) return;
      if (frame.items++ > 0) out_ += ',';
      out_ += object;
    };
    if (!text.starts_with('[')) return add(text);
    if (starts.empty() && text != "[]") add(text);  // an alias of a list: refused
    std::size_t end = text.size() - 1;
    for (std::size_t i = starts.size(); i-- > 0;) {
      const std::size_t start = starts[i] - begin;
      add(std::string_view(text).substr(start, end - start));
      end = start - 1;
    }
  }

  void open(const YAML::Mark& mark, char bracket, YAML::anchor_t anchor) {
    if (expects_key()) refuse(mark, "a key is not a scalar");
    if (frames_.size() >= kMaxDepth) refuse_depth(mark);
    Frame frame;
    frame.map = bracket == '{';
    frame.anchor = anchor;
    // A list of maps may be merged, too; it has to remember where each begins.
    frame.merging = !frame.map && !frames_.empty() && frames_.back().map && frames_.back().merging;
    frame.begin = before_value(mark);
    out_ += bracket;
    frames_.push_back(std::move(frame));
  }

  void close(char bracket) {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    out_ += bracket;
    if (!frame.map && frame.merging) merge_starts_ = std::move(frame.starts);
    after_value(frame.begin, frame.anchor, frame.deepest);
  }

  void append_scalar(const YAML::Mark& mark, const std::string& tag, const std::string& value) {
    using Kind = PlainScalar::Kind;
    const bool standard = tag.starts_with(kTagPrefix);
    const std::string_view type =
        standard ? std::string_view(tag).substr(kTagPrefix.size()) : std::string_view();
    const bool typed = type == "int" || type == "float" || type == "bool" || type == "null";
    if (tag != "?" && !typed) return append_json_string(out_, value);
    const PlainScalar scalar = resolve_plain(value);
    switch (scalar.kind) {
      case Kind::Null:
        out_ += "null";
        break;
      case Kind::Boolean:
      case Kind::Number:
        out_ += scalar.json;
        break;
      case Kind::NotFinite:
        refuse(mark, fmt::format("{} has no place in a Kubernetes object", value));
      case Kind::String:
        if (typed) refuse(mark, fmt::format("\"{}\" is not of type {}", value, type));
        append_json_string(out_, value);
    }
  }

  std::size_t limit_;
  std::size_t emitted_ = 0;  // in earlier documents and kept for anchors
  int document_begin_ = 0;
  std::string out_;
  std::vector<Frame> frames_;
  std::vector<std::size_t> merge_starts_;  // of the sequence that was closed last, if it is merged
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::vector<std::string> documents_;
};

}  // namespace

Result<std::vector<std::string>> yaml_to_json(const std::string& bytes) {
  if (bytes.size() > kMaxInput)
    return Error{
        fmt::format("YAML larger than {} MiB is not read; use JSON, which is also faster", kMaxInput >> 20)};
  try {
    std::istringstream stream(bytes);
    YAML::Parser parser(stream);
    JsonEmitter emitter(bytes.size());
    while (parser.HandleNextDocument(emitter)) {
    }
    return emitter.take();
  } catch (const YAML::Exception& e) {
    if (e.mark.is_null()) return Error{"not valid YAML: " + e.msg};
    return Error{
        fmt::format("not valid YAML: line {}, column {}: {}", e.mark.line + 1, e.mark.column + 1, e.msg)};
  } catch (const std::exception& e) {
    return Error{fmt::format("not valid YAML: {}", e.what())};
  }
}

}  // namespace tamp::wire
