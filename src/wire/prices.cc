#include "wire/prices.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/ascii.h"
#include "core/number.h"
#include "wire/csv.h"

namespace tamp::wire {
namespace {

constexpr double kMaxPrice = 1e9;
constexpr std::string_view kNameField = "metadata.name";
constexpr std::string_view kProviderField = "spec.providerID";
constexpr std::string_view kLabelPrefix = "metadata.labels.";
constexpr std::string_view kTypeField = "metadata.labels.node.kubernetes.io/instance-type";

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

struct Columns {
  std::optional<std::size_t> id, region, asset_class, id_field, type, price;
};

Result<Columns> read_header(const CsvRow& header) {
  Columns columns;
  for (std::size_t i = 0; i < header.fields.size(); ++i) {
    const std::string name = lower(trimmed(header.fields[i]));
    if (name == "instanceid") columns.id = i;
    if (name == "region") columns.region = i;
    if (name == "assetclass") columns.asset_class = i;
    if (name == "instanceidfield") columns.id_field = i;
    if (name == "instancetype") columns.type = i;
    if (name == "marketpricehourly") columns.price = i;
  }
  if (!columns.price) return Error{"line 1: the column MarketPriceHourly is missing"};
  if (!columns.asset_class) return Error{"line 1: the column AssetClass is missing"};
  if (!columns.id && !columns.type)
    return Error{"line 1: both columns InstanceID and InstanceType are missing"};
  return columns;
}

struct PriceRow {
  std::size_t line = 0;
  std::string id, id_field, type, region;  // id and region in lower case
  double dollars = 0;
};

Result<double> parse_price(std::string_view text) {
  text = trimmed(text);
  const auto dollars = read_number<double>(text);
  if (!dollars) return Error{fmt::format("MarketPriceHourly: \"{}\" is not a number", text)};
  if (!(*dollars >= 0 && *dollars < kMaxPrice))
    return Error{fmt::format("MarketPriceHourly: is {}, must be between 0 and {} dollars per hour", text,
                             static_cast<std::int64_t>(kMaxPrice))};
  return *dollars;
}

Result<PriceRow> read_row(const CsvRow& row, const Columns& columns) {
  const auto field = [&](const std::optional<std::size_t>& column) {
    return column && *column < row.fields.size() ? trimmed(row.fields[*column]) : std::string_view();
  };
  PriceRow price;
  price.line = row.line;
  price.id = lower(field(columns.id));
  price.id_field = field(columns.id_field);
  price.type = field(columns.type);
  price.region = lower(field(columns.region));
  TAMP_TRY(price.dollars, parse_price(field(columns.price)));
  if (price.id.empty() && price.type.empty()) return Error{"both InstanceID and InstanceType are empty"};
  if (price.id_field == kTypeField) {
    price.type = field(columns.id);
    price.id.clear();
  }
  return price;
}

class PriceList {
 public:
  explicit PriceList(Cluster& cluster) : cluster_(cluster) {}

  // Whether the row was of any use.
  Result<bool> apply(const PriceRow& row) {
    if (row.id.empty()) return apply_to_type(row);
    const std::string_view field = row.id_field;
    if (!field.empty() && field != kNameField && field != kProviderField && !field.starts_with(kLabelPrefix))
      return Error{
          fmt::format("InstanceIDField: is \"{}\", must be metadata.name, spec.providerID or "
                      "metadata.labels.<key>",
                      field)};
    bool used = false;
    const NodeIndex& index = index_of(field);
    if (const auto nodes = index.find(row.id); nodes != index.end())
      for (const NodeId id : nodes->second) used |= set_price(cluster_.nodes[id.index()], row);
    return used;
  }

 private:
  using NodeIndex = std::unordered_map<std::string, std::vector<NodeId>>;

  // The nodes by what this field says of them, in lower case. Without a field, by name and provider id.
  const NodeIndex& index_of(std::string_view field) {
    const auto [it, fresh] = indexes_.try_emplace(std::string(field));
    if (!fresh) return it->second;
    const bool by_label = field.starts_with(kLabelPrefix);
    const Symbol label = by_label ? cluster_.symbols.find(field.substr(kLabelPrefix.size())) : Symbol();
    if (by_label && !label.valid()) return it->second;
    for (std::size_t i = 0; i < cluster_.nodes.size(); ++i) {
      const Node& node = cluster_.nodes[i];
      const auto add = [&](std::string key) { it->second[std::move(key)].push_back(NodeId(i)); };
      if (by_label && node.labels.has(label)) add(lower(cluster_.text(node.labels.get(label))));
      if (field.empty() || field == kNameField) add(lower(cluster_.text(node.name)));
      if (field.empty() || field == kProviderField) {
        const std::string provider = lower(cluster_.text(node.provider_id));
        const auto slash = provider.rfind('/');
        if (!provider.empty()) add(provider);
        if (slash != std::string::npos) add(provider.substr(slash + 1));
      }
    }
    return it->second;
  }

  bool set_price(Node& node, const PriceRow& row) const {
    if (!in_region(node, row.region)) return false;
    node.price_override = Money::from_dollars(row.dollars);
    return true;
  }

  bool in_region(const Node& node, std::string_view region) const {
    if (region.empty()) return true;
    const Symbol own = node.labels.get(cluster_.known.region);
    if (own.valid()) return lower(cluster_.text(own)) == region;
    return lower(cluster_.text(node.labels.get(cluster_.known.zone))).starts_with(region);
  }

  // In the catalogue, a machine has an entry for each system that runs on it.
  std::vector<InstanceType*> find_types(Symbol name) {
    std::vector<InstanceType*> found;
    if (!cluster_.catalogue) return found;
    auto& types = cluster_.catalogue->types;
    if (types_.empty())
      for (std::size_t i = 0; i < types.size(); ++i) types_.emplace(types[i].name, i);
    const auto [first, last] = types_.equal_range(name);
    for (auto it = first; it != last; ++it) found.push_back(&types[it->second]);
    return found;
  }

  bool apply_to_type(const PriceRow& row) {
    const Symbol name = cluster_.symbols.find(row.type);
    if (!name.valid()) return false;
    bool used = false;
    const auto types = find_types(name);
    for (InstanceType* type : types)
      for (Offering& offering : type->offerings) {
        if (offering.capacity_type != cluster_.known.on_demand) continue;
        if (!lower(cluster_.text(offering.zone)).starts_with(row.region)) continue;
        offering.dollars = row.dollars;
        offering.price = Money::from_dollars(row.dollars);
        used = true;
      }
    if (!types.empty()) return used;
    const NodeIndex& index = index_of(kTypeField);
    const auto nodes = index.find(lower(row.type));
    if (nodes == index.end()) return false;
    for (const NodeId id : nodes->second) {
      Node& node = cluster_.nodes[id.index()];
      const Symbol capacity_type = capacity_type_of(cluster_, node);
      if (capacity_type.valid() && capacity_type != cluster_.known.on_demand) continue;
      used |= set_price(node, row);
    }
    return used;
  }

  Cluster& cluster_;
  std::map<std::string, NodeIndex> indexes_;            // by field
  std::unordered_multimap<Symbol, std::size_t> types_;  // index into the catalogue
};

}  // namespace

Status apply_prices(Cluster& cluster, const Input& input, std::vector<std::string>& warnings) {
  auto rows = parse_csv(input.bytes);
  if (!rows) return std::move(rows).error().with(input.name);
  if (rows->empty()) return Error{"the file is empty"}.with(input.name);
  auto columns = read_header(rows->front());
  if (!columns) return std::move(columns).error().with(input.name);

  // Rows for types first, so that a row for a single node wins wherever it stands.
  std::vector<PriceRow> prices;
  for (std::size_t i = 1; i < rows->size(); ++i) {
    const CsvRow& row = (*rows)[i];
    const std::size_t asset_class = *columns->asset_class;
    if (asset_class >= row.fields.size() || lower(trimmed(row.fields[asset_class])) != "node") continue;
    auto price = read_row(row, *columns);
    if (!price) return std::move(price).error().with(fmt::format("line {}", row.line)).with(input.name);
    prices.push_back(std::move(price).value());
  }
  std::stable_partition(prices.begin(), prices.end(), [](const PriceRow& p) { return p.id.empty(); });

  PriceList list(cluster);
  std::size_t unused = 0;
  for (const PriceRow& price : prices) {
    auto used = list.apply(price);
    if (!used) return std::move(used).error().with(fmt::format("line {}", price.line)).with(input.name);
    if (!*used) ++unused;
  }
  if (unused > 0)
    warnings.push_back(fmt::format("{}: {} of {} prices match no node and no on-demand offering", input.name,
                                   unused, prices.size()));
  return success();
}

}  // namespace tamp::wire
