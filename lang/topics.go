package lang

import (
	"github.com/rocec/rocec/lang/baseline"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/eval"
	"github.com/rocec/rocec/lang/lock"
	"github.com/rocec/rocec/lang/nexthops"
	"github.com/rocec/rocec/lang/parse"
	"github.com/rocec/rocec/lang/topology"
)

// The mistakes in blocks. Package parse has the mistakes in text, and package eval the mistakes in values.
var (
	misplacedBlock = diag.Topic{Code: "misplaced-block", Summary: "the block does not belong into a module"}

	moduleCycle = diag.Topic{Code: "module-cycle", Summary: "a module holds itself"}

	unknownAttribute = diag.Topic{Code: "unknown-attribute", Summary: "there is no such attribute"}

	badLabel = diag.Topic{Code: "bad-label", Summary: "the labels of a block are wrong"}

	duplicateBlock = diag.Topic{Code: "duplicate-block", Summary: "a block is there twice"}

	duplicateName = diag.Topic{Code: "duplicate-name", Summary: "a name is used twice"}

	badNodeset = diag.Topic{Code: "bad-nodeset", Summary: "the nodeset cannot be read"}

	tooManyObjects = diag.Topic{Code: "too-many-objects", Summary: "the fabric names too many things"}

	unequalCounts = diag.Topic{Code: "unequal-counts", Summary: "the two sides do not fit"}

	requiredVersion = diag.Topic{Code: "required-version", Summary: "this rocec is not one that the fabric asks for"}

	noFabric = diag.Topic{Code: "no-fabric", Summary: "there is no fabric block"}

	ignoreUnknown = diag.Topic{Code: "ignore-unknown", Summary: "a comment names a code that does not exist"}

	ignoreUnused = diag.Topic{Code: "ignore-unused", Summary: "a comment silences nothing"}

	ignoreRefused = diag.Topic{Code: "ignore-refused", Summary: "a finding cannot be silenced by a comment"}

	badForEach = diag.Topic{Code: "bad-for-each", Summary: "for_each is neither a set of strings nor a map"}

	tableUnused = diag.Topic{Code: "table-unused", Summary: "the table of next hops is not used"}

	sensitiveVariable = diag.Topic{Code: "sensitive-variable", Summary: "a variable is declared sensitive"}

	badSelector = diag.Topic{Code: "bad-selector", Summary: "the selector cannot be read"}

	cablesNone = diag.Topic{Code: "cables-none", Summary: "a selector names no cable"}

	cablesContradict = diag.Topic{Code: "cables-contradict", Summary: "two selectors contradict each other"}
)

// Topics is every code lang reports.
var Topics = []diag.Topic{
	parse.Unreadable, parse.TooLarge, parse.TooDeep, parse.InvalidUTF8, parse.Syntax,
	eval.UnknownBlock, misplacedBlock, unknownAttribute, eval.MissingAttribute, badLabel, duplicateBlock, parse.DuplicateAttribute,
	duplicateName,
	moduleCycle, parse.IgnoreInvalid, ignoreUnknown, ignoreUnused, ignoreRefused,
	eval.BadName, badNodeset, tooManyObjects, unequalCounts,
	eval.WrongType, eval.WrongUnit, eval.OutOfRange, eval.BadValue,
	eval.UnknownReference, eval.UnknownFunction, eval.BadExpression, eval.ReferenceCycle, badForEach,
	noFabric, requiredVersion, eval.UnsetVariable, eval.UndeclaredVariable, eval.BadVariable, eval.FailedValidation, sensitiveVariable,
	nexthops.Invalid, tableUnused, lock.Invalid, baseline.Invalid,
	topology.Syntax, topology.Endpoint, topology.Attribute, topology.TooLarge, topology.Empty, topology.LeftOut, topology.Path,
	topology.Stray,
	badSelector, cablesNone, cablesContradict,
}
