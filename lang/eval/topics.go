package eval

import "github.com/rocec/rocec/lang/diag"

// The mistakes in names, values and expressions.
var (
	UnknownBlock = diag.Topic{Code: "unknown-block", Summary: "there is no such block"}

	MissingAttribute = diag.Topic{Code: "missing-attribute", Summary: "a required attribute is missing"}

	BadName = diag.Topic{Code: "bad-name", Summary: "the name is not allowed"}

	WrongType = diag.Topic{Code: "wrong-type", Summary: "the value has the wrong type"}

	WrongUnit = diag.Topic{Code: "wrong-unit", Summary: "the unit is missing or unknown"}

	OutOfRange = diag.Topic{Code: "out-of-range", Summary: "the value is out of range"}

	BadValue = diag.Topic{Code: "bad-value", Summary: "the value is not well formed"}

	UnknownReference = diag.Topic{Code: "unknown-reference", Summary: "the reference leads nowhere"}

	UnknownFunction = diag.Topic{Code: "unknown-function", Summary: "there is no such function"}

	BadExpression = diag.Topic{Code: "bad-expression", Summary: "the expression cannot be evaluated"}

	ReferenceCycle = diag.Topic{Code: "reference-cycle", Summary: "locals or modules need each other in a circle"}

	UnsetVariable = diag.Topic{Code: "unset-variable", Summary: "a variable has no value"}

	UndeclaredVariable = diag.Topic{Code: "undeclared-variable", Summary: "the variable is not declared"}

	BadVariable = diag.Topic{Code: "bad-variable", Summary: "the value of a variable does not fit"}

	FailedValidation = diag.Topic{Code: "failed-validation", Summary: "a variable is not valid"}
)
