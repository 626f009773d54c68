package guard

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	pg "github.com/pganalyze/pg_query_go/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// grammarMessages are all messages of the parser's tree.
func grammarMessages(t *testing.T) []protoreflect.MessageDescriptor {
	t.Helper()
	file := (&pg.ParseResult{}).ProtoReflect().Descriptor().ParentFile()
	var all []protoreflect.MessageDescriptor
	for i := range file.Messages().Len() {
		all = append(all, file.Messages().Get(i))
	}
	require.Greater(t, len(all), 200)
	return all
}

func newMessage(t *testing.T, d protoreflect.MessageDescriptor) protoreflect.Message {
	t.Helper()
	kind, err := protoregistry.GlobalTypes.FindMessageByName(d.FullName())
	require.NoError(t, err)
	return kind.New()
}

// structName is the name the lists use: of the Go struct.
func structName(m protoreflect.Message) string { return reflect.TypeOf(m.Interface()).Elem().Name() }

// plainMessage is a message of a kind that passes, with what the lists need to
// be set.
func plainMessage(t *testing.T, d protoreflect.MessageDescriptor) protoreflect.Message {
	t.Helper()
	m := newMessage(t, d)
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		values := strings.Fields(allowedEnums[enumName(f)])
		if f.Kind() == protoreflect.EnumKind && !f.IsList() && len(values) > 0 && allowedField(m, f) {
			m.Set(f, protoreflect.ValueOfEnum(f.Enum().Values().ByName(protoreflect.Name(values[0])).Number()))
		}
	}
	return m
}

func enumName(f protoreflect.FieldDescriptor) string {
	if f.Enum() == nil {
		return ""
	}
	return string(f.Enum().Name())
}

func allowedField(m protoreflect.Message, f protoreflect.FieldDescriptor) bool {
	name := string(f.Name())
	if o := f.ContainingOneof(); o != nil {
		name = string(o.Name())
	}
	return slices.Contains(strings.Fields(allowed[structName(m)]), name)
}

func look(m protoreflect.Message) error {
	return visit(m.Interface(), -1, func(any, int32) error { return nil })
}

// TestEveryMessageIsJudged goes through the grammar's own description: each
// message, field and value is either listed and looked into, or refused.
func TestEveryMessageIsJudged(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	listed, refused, fields, values := 0, 0, 0, 0
	for _, d := range grammarMessages(t) {
		m := plainMessage(t, d)
		name := structName(m)
		known[name] = true
		if _, ok := allowed[name]; !ok {
			refused++
			assert.Error(t, look(m), "%s is not on the list", name)
			continue
		}
		listed++
		require.NoError(t, look(m), name)
		strange := proto.Clone(m.Interface()).ProtoReflect()
		strange.SetUnknown(unknownBytes)
		assert.Error(t, look(strange), "%s with a field of a later grammar", name)
		for i := range d.Fields().Len() {
			f := d.Fields().Get(i)
			at := fmt.Sprintf("%s.%s", name, f.Name())
			fields++
			switch {
			case f.Kind() == protoreflect.MessageKind:
				// A child that must be refused shows whether it is looked at.
				child := plainMessage(t, f.Message())
				child.SetUnknown(unknownBytes)
				with := proto.Clone(m.Interface()).ProtoReflect()
				setOne(with, f, protoreflect.ValueOfMessage(child))
				assert.Error(t, look(with), "%s is not looked into", at)
				if !allowedField(m, f) || f.Message().Name() != "Node" {
					continue
				}
				forbidden := &pg.Node{Node: &pg.Node_CopyStmt{CopyStmt: &pg.CopyStmt{}}}
				setOne(with, f, protoreflect.ValueOfMessage(forbidden.ProtoReflect()))
				assert.Error(t, look(with), "%s is not looked into", at)
			case f.Kind() == protoreflect.EnumKind:
				require.False(t, f.IsList(), at)
				for j := range f.Enum().Values().Len() {
					v := f.Enum().Values().Get(j)
					values++
					with := proto.Clone(m.Interface()).ProtoReflect()
					with.Set(f, protoreflect.ValueOfEnum(v.Number()))
					ok := allowedField(m, f) && slices.Contains(strings.Fields(allowedEnums[enumName(f)]), string(v.Name())) ||
						!allowedField(m, f) && v.Number() == 0
					assert.Equal(t, ok, look(with) == nil, "%s = %s", at, v.Name())
				}
				with := proto.Clone(m.Interface()).ProtoReflect()
				with.Set(f, protoreflect.ValueOfEnum(4711))
				assert.Error(t, look(with), "%s with a value of a later grammar", at)
			case !allowedField(m, f):
				with := proto.Clone(m.Interface()).ProtoReflect()
				setOne(with, f, someScalar(t, f))
				assert.Error(t, look(with), "%s is not on the list", at)
			}
		}
	}
	assert.Greater(t, refused, 200)
	assert.Len(t, allowed, listed, "the list names messages the grammar does not have")
	t.Logf("%d messages listed with %d fields and %d values, %d messages refused", listed, fields, values, refused)
}

func setOne(m protoreflect.Message, f protoreflect.FieldDescriptor, v protoreflect.Value) {
	if f.IsList() {
		m.Mutable(f).List().Append(v)
		return
	}
	m.Set(f, v)
}

func someScalar(t *testing.T, f protoreflect.FieldDescriptor) protoreflect.Value {
	t.Helper()
	switch f.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.StringKind:
		return protoreflect.ValueOfString("x")
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(1)
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(1)
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOfUint64(1)
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(1)
	}
	t.Fatalf("%s has the kind %s", f.FullName(), f.Kind())
	return protoreflect.Value{}
}

// TestListsNameWhatExists finds words in the lists that mean nothing.
func TestListsNameWhatExists(t *testing.T) {
	t.Parallel()
	enums := map[string]protoreflect.EnumDescriptor{}
	for _, d := range grammarMessages(t) {
		m := newMessage(t, d)
		var have []string
		for i := range d.Fields().Len() {
			f := d.Fields().Get(i)
			if f.Enum() != nil {
				enums[enumName(f)] = f.Enum()
			}
			have = append(have, string(f.Name()))
			if f.ContainingOneof() != nil {
				have = append(have, string(f.ContainingOneof().Name()))
			}
		}
		for name := range strings.FieldsSeq(allowed[structName(m)]) {
			assert.Contains(t, have, name, structName(m))
		}
	}
	for name, values := range allowedEnums {
		if assert.Contains(t, enums, name) {
			for v := range strings.FieldsSeq(values) {
				assert.NotNil(t, enums[name].Values().ByName(protoreflect.Name(v)), "%s.%s", name, v)
			}
		}
	}
}

// TestEveryPositionIsChecked puts a forbidden call, a forbidden table and a
// call without a call's form into each place of each report that holds an
// expression: all must be refused, wherever the grammar takes them.
func TestEveryPositionIsChecked(t *testing.T) {
	t.Parallel()
	hidden := newSelect()
	hidden.TargetList = []*pg.Node{{Node: &pg.Node_ResTarget{ResTarget: &pg.ResTarget{Val: columnRef("password")}}}}
	hidden.FromClause = []*pg.Node{{Node: &pg.Node_RangeVar{RangeVar: &pg.RangeVar{Relname: "ad_user", Inh: true, Relpersistence: "p"}}}}
	bad := map[string]*pg.Node{
		"call": {Node: &pg.Node_FuncCall{FuncCall: &pg.FuncCall{Funcname: names("pg_sleep"), Args: []*pg.Node{intConst(1)},
			Funcformat: pg.CoercionForm_COERCE_EXPLICIT_CALL}}},
		"table": {Node: &pg.Node_SubLink{SubLink: &pg.SubLink{SubLinkType: pg.SubLinkType_EXPR_SUBLINK, Subselect: selectNode(hidden)}}},
		"field": {Node: &pg.Node_AIndirection{AIndirection: &pg.A_Indirection{Arg: textConst("/etc/passwd"), Indirection: names("pg_read_file")}}},
		"cast":  {Node: &pg.Node_TypeCast{TypeCast: &pg.TypeCast{Arg: textConst("x"), TypeName: &pg.TypeName{Names: names("regclass"), Typemod: -1}}}},
		"sleep": {Node: &pg.Node_ColumnRef{ColumnRef: &pg.ColumnRef{Fields: names("c_order", "pg_sleep")}}},
		"user":  {Node: &pg.Node_SqlvalueFunction{SqlvalueFunction: &pg.SQLValueFunction{Op: pg.SQLValueFunctionOp_SVFOP_CURRENT_USER}}},
	}
	places := 0
	for name, sql := range reports {
		tree, err := postgres.parse(sql)
		require.NoError(t, err)
		eachExpression(tree, func(n *pg.Node) {
			kept := n.Node
			places++
			for what, b := range bad {
				n.Node = b.Node
				j := New(nil).job(t.Context(), testPolicy(), 0, 10)
				_, _, err := j.secure(proto.Clone(tree).(*pg.ParseResult))
				var f *fault
				if !errors.As(err, &f) {
					t.Errorf("%s: a forbidden %s in place of %v: %v", name, what, kept, err)
				}
			}
			n.Node = kept
		})
	}
	assert.Greater(t, places, 300)
}

// eachExpression calls f for every node below m that is an expression.
func eachExpression(m any, f func(*pg.Node)) {
	v := reflect.ValueOf(m).Elem()
	for _, fl := range layoutOf(v.Type()).fields {
		fv := v.Field(fl.index)
		switch fl.shape {
		case message:
			if !fv.IsNil() {
				eachNode(fv.Interface(), f)
			}
		case repeated:
			for i := range fv.Len() {
				eachNode(fv.Index(i).Interface(), f)
			}
		case oneof:
			if !fv.IsNil() && inner(fv).Kind() == reflect.Pointer {
				eachExpression(inner(fv).Interface(), f)
			}
		}
	}
}

func eachNode(m any, f func(*pg.Node)) {
	if n, ok := m.(*pg.Node); ok {
		switch content(n).(type) {
		case *pg.A_Const, *pg.A_Expr, *pg.FuncCall, *pg.SubLink, *pg.TypeCast, *pg.CaseExpr, *pg.BoolExpr, *pg.NullTest, *pg.CoalesceExpr,
			*pg.A_ArrayExpr, *pg.RowExpr, *pg.CollateClause, *pg.SQLValueFunction, *pg.ParamRef, *pg.GroupingFunc, *pg.A_Indirection, *pg.ColumnRef:
			f(n)
		}
	}
	eachExpression(m, f)
}
