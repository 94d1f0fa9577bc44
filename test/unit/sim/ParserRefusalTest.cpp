//===- ParserRefusalTest.cpp - texts that the parser refuses --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserHelpers.h"

using namespace girih;
using namespace girih::sim;

namespace {

struct Row {
  std::string text;
  std::string message;
};

/// Each text stands behind the module's head: in line 2.
void refuseItems(const std::vector<Row> &rows) {
  for (const Row &row : rows) {
    INFO(row.text);
    CHECK(refusal(kHead + row.text) == row.message);
  }
}

/// Each text is a body: in line 5.
void refuseBodies(const std::vector<Row> &rows) {
  for (const Row &row : rows) {
    INFO(row.text);
    CHECK(refusal(withBody(row.text)) == row.message);
  }
}

std::string repeated(const std::string &text, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i)
    all += text;
  return all;
}

} // namespace

TEST_CASE("a damaged head is refused") {
  const Row rows[] = {
      {"", "line 1: expected '.version', which begins a module, found the end "
           "of the text"},
      {"\n.target sm_90", "line 2: expected '.version', which begins a module, "
                          "found '.target'"},
      {".version eight", "line 1: expected a version such as '8.6', found "
                         "'eight'"},
      {".version 8", "line 1: expected a version such as '8.6', found '8'"},
      {".version 1e2", "line 1: expected a version such as '8.6', found '1e2'"},
      {".version 99999999999.1",
       "line 1: expected a version such as '8.6', found '99999999999.1'"},
      {".version 8.6\n", "line 2: expected '.target' behind '.version', found "
                         "the end of the text"},
      {".version 8.6\n.target 90",
       "line 2: expected a target such as 'sm_90a', found '90'"},
      {".version 8.6\n.target debug", "line 2: '.target' names no 'sm_'"},
      {".version 8.6 .target sm_90, map_f64_to_f32",
       "line 1: target option 'map_f64_to_f32' is not supported"},
      {".version 8.6 .target sm_90 .address_size 32",
       "line 1: '.address_size 32' is not supported: addresses have 64 bits"},
      {".version 8.6 .target sm_90 .address_size",
       "line 1: expected an address size, found the end of the text"},
  };
  for (const Row &row : rows) {
    INFO(row.text);
    CHECK(refusal(row.text) == row.message);
  }
}

TEST_CASE("what is no token is refused") {
  refuseItems({
      {"\n/* never", "line 3: the comment that begins here has no '*/'"},
      {"\n\\", "line 3: '\\' is no part of PTX"},
      {"\xc3\xa9", "line 2: byte 0xc3 is no part of PTX"},
      {std::string(1, '\0'), "line 2: byte 0x00 is no part of PTX"},
      {"#include", "line 2: '#' is no part of PTX"},
      {". b8", "line 2: a '.' with no name behind it"},
      {".pragma \"open;\n\";", "line 2: the string that begins here has no end "
                               "in its line"},
      {".file 1 \"open\\", "line 2: the string that begins here has no end in "
                           "its line"},
      {".section a { \\", "line 2: '\\' is no part of PTX"},
      {".func f \\", "line 2: '\\' is no part of PTX"},
      {".global .attribute( \\", "line 2: '\\' is no part of PTX"},
  });
  refuseBodies({
      {"x 0f3F80;", "line 5: '0f3F80' needs 8 hexadecimal digits behind its "
                    "'0f'"},
      {"x 0d3FF00000;", "line 5: '0d3FF00000' needs 16 hexadecimal digits "
                        "behind its '0d'"},
      {"x 0f3F8000000;", "line 5: '0f3F8000000' needs 8 hexadecimal digits "
                         "behind its '0f'"},
      {"x 0f3F80000g;", "line 5: '0f3F80000g' needs 8 hexadecimal digits "
                        "behind its '0f'"},
      {"x 08;", "line 5: '08' is no number"},
      {"x 12u;", "line 5: '12u' is no number"},
      {"x 0x;", "line 5: '0x' is no number"},
      {"x 0b2;", "line 5: '0b2' is no number"},
      {"x 1.5f;", "line 5: '1.5f' is no number"},
      {"x 1.5e;", "line 5: '1.5e' is no number"},
      {"x 1e400;", "line 5: '1e400' is out of the range of f64"},
      {"x 0x10000000000000000;",
       "line 5: '0x10000000000000000' does not fit 64 bits"},
      {"x 18446744073709551616;",
       "line 5: '18446744073709551616' does not fit 64 bits"},
  });
}

TEST_CASE("items of a module are refused") {
  refuseItems({
      {"k", "line 2: expected a directive, found 'k'"},
      {";", "line 2: expected a directive, found ';'"},
      {".reg .b32 x;", "line 2: directive '.reg' is not known here"},
      {".alias a, b;", "line 2: directive '.alias' is not known here"},
      {".visible .weak .global .b32 x;",
       "line 2: directive '.weak' is not known here"},
      {".visible x", "line 2: expected a directive, found 'x'"},
      {".version 8.6", "line 2: '.version' stands once, at the module's "
                       "beginning"},
      {".target sm_90", "line 2: '.target' stands once, at the module's "
                        "beginning"},
      {".address_size 64", "line 2: '.address_size' stands once, at the "
                           "module's beginning"},
      {".file x", "line 2: expected a file's number, found 'x'"},
      {".file 65536 \"x\"", "line 2: a file's number is 65536: at most 65535"},
      {".file 1 x", "line 2: expected a file's name, found 'x'"},
      {".file 1 \"x\", y", "line 2: expected a file's time, found 'y'"},
      {".loc 1 2", "line 2: expected a column, found the end of the text"},
      {".loc 1 2 3, 4", "line 2: expected 'function_name' or 'inlined_at', "
                        "found '4'"},
      {".loc 1 2 3, x", "line 2: expected 'function_name' or 'inlined_at', "
                        "found 'x'"},
      {".loc 1 2 3, function_name 4",
       "line 2: expected a function's name, found '4'"},
      {".loc 1 2 3, function_name f+g",
       "line 2: expected an offset, found 'g'"},
      {".loc 1 4294967296 3", "line 2: a line is 4294967296: at most "
                              "4294967295"},
      {".loc 1 2 3, inlined_at x", "line 2: expected a file's number, found "
                                   "'x'"},
      {".section 4", "line 2: expected a section's name, found '4'"},
      {".section .a x", "line 2: expected '{', found 'x'"},
      {".section .a {\n{ }\n", "line 2: the section that begins here has no "
                               "'}'"},
      {".pragma x;", "line 2: expected a pragma's string, found 'x'"},
      {".pragma \"x\"", "line 2: expected ';', found the end of the text"},
      {".extern .func f", "line 2: the '.func' that begins here has no end"},
      {"\n.visible .func (.param .b32 r) f (.param .b32 x)\n{\nret;\n}",
       "line 3: function 'f' has a body: only kernels are supported, inline "
       "it"},
      {".tex .u32 t;",
       "line 2: textures, surfaces and samplers are not supported: '.tex'"},
      {".global .texref t;", "line 2: textures, surfaces and samplers are not "
                             "supported: '.texref'"},
      {".global .samplerref t;", "line 2: textures, surfaces and samplers are "
                                 "not supported: '.samplerref'"},
      {".global .surfref t;", "line 2: textures, surfaces and samplers are not "
                              "supported: '.surfref'"},
  });
}

TEST_CASE("variables are refused") {
  refuseItems({
      {".local .b32 x;", "line 2: a '.local' variable stands in a kernel's "
                         "body"},
      {".global x;", "line 2: expected a type such as '.b32', found 'x'"},
      {".global .f8 x;", "line 2: expected a type such as '.b32', found "
                         "'.f8'"},
      {".global .bf16 x;", "line 2: a variable cannot have type '.bf16': "
                           "declare its bits, as in '.b16'"},
      {".global .u4 x;", "line 2: a variable cannot have type '.u4': declare "
                         "its bits, as in '.b8'"},
      {".global .pred x;", "line 2: a variable cannot have type '.pred': "
                           "declare its bits, as in '.b8'"},
      {".global .b32 4;", "line 2: expected a variable's name, found '4'"},
      {".global .b32 _;", "line 2: expected a variable's name, found '_'"},
      {".global .b32 x", "line 2: expected ';', found the end of the text"},
      {".global .align 3 .b32 x;", "line 2: alignment 3 is no power of two"},
      {".global .align 0 .b32 x;", "line 2: alignment 0 is no power of two"},
      {".global .align 2097152 .b32 x;",
       "line 2: an alignment is 2097152: at most 1048576"},
      {".global .attribute x", "line 2: expected '(', found 'x'"},
      {".global .attribute(;", "line 2: expected ')', found ';'"},
      {".global .v4 .f64 x;",
       "line 2: a vector of 4 '.f64' has more than 128 bits"},
      {".global .v8 .b8 x;", "line 2: expected a type such as '.b32', found "
                             "'.v8'"},
      {"\n.global .b32 x;\n.shared .b8 x[4];",
       "line 4: 'x' is already declared in line 3"},
      {".global .b32 x[];", "line 2: variable 'x' has no size: give one, or an "
                            "initializer"},
      {".global .b32 x[0];", "line 2: an array's size is 0"},
      {".global .b32 x[-1];", "line 2: expected an array's size, found '-'"},
      {".global .b32 x[2][];", "line 2: expected an array's size, found ']'"},
      {".global .b32 x[2", "line 2: expected ']', found the end of the text"},
      {".global .b8 x" + repeated("[1]", 17) + ";",
       "line 2: an array has more than 16 dimensions"},
      {".global .b8 x[1099511627777];",
       "line 2: an array's size is 1099511627777: at most 1099511627776"},
      {".global .b8 x[1099511627776][1099511627776];",
       "line 2: 'x' is larger than the 1099511627776 bytes that '.global' can "
       "have"},
      {".global .b8 x[1099511627776];\n.global .b8 y;",
       "line 3: 'y' and the variables before it take more than the "
       "1099511627776 bytes that '.global' can have"},
      {".shared .b32 x[4194304];",
       "line 2: 'x' is larger than the 16777215 bytes that '.shared' can have"},
      {".const .b32 x[16385];",
       "line 2: 'x' is larger than the 65536 bytes that '.const' can have"},
      {".extern .global .b32 x;",
       "line 2: an '.extern .global' variable lives in another module, which "
       "is not supported"},
      {".extern .const .b32 x[];",
       "line 2: an '.extern .const' variable lives in another module, which is "
       "not supported"},
      {".extern .shared .b32 x;",
       "line 2: '.extern .shared' variable 'x' stands for the launch's dynamic "
       "memory: declare it as 'x[]'"},
      {".extern .shared .b32 x[4];",
       "line 2: '.extern .shared' variable 'x' stands for the launch's dynamic "
       "memory: declare it as 'x[]'"},
      {".extern .shared .b32 x[] = {1};",
       "line 2: an '.extern' variable has no initializer"},
  });
}

TEST_CASE("variables have a total") {
  std::string text = kHead;
  for (unsigned i = 0; i < 129; ++i)
    text += ".shared .b8 s" + std::to_string(i) + "[16777215];\n";
  // 128 of them are 128 bytes short of 2^31.
  CHECK(refusal(text) ==
        "line 130: 's128' and the variables before it take more than the "
        "2147483647 bytes that '.shared' can have");
}

TEST_CASE("initializers are refused") {
  refuseItems({
      {".shared .b32 x = 1;", "line 2: a '.shared' variable has no "
                              "initializer: 'x'"},
      {".global .f16 x = 1.0;", "line 2: a variable of type '.f16' has no "
                                "initializer: 'x'"},
      {".global .b128 x = 1;", "line 2: a variable of type '.b128' has no "
                               "initializer: 'x'"},
      {".global .b32 y;\n.global .u64 x = y;",
       "line 3: the initializer of 'x' has the symbol 'y': only numbers are "
       "supported"},
      {".global .u64 x[2] = {1, generic(y)};",
       "line 2: the initializer of 'x' has the symbol 'generic': only numbers "
       "are supported"},
      {".global .u8 x[2] = {0xff(y), 0};",
       "line 2: the initializer of 'x' has a mask of a symbol: only numbers "
       "are supported"},
      {".global .u32 x = 1.5;",
       "line 2: a value of 'x' is no '.u32': floating-point variables take "
       "numbers with a point, integers those without"},
      {".global .f32 x = 1;",
       "line 2: a value of 'x' is no '.f32': floating-point variables take "
       "numbers with a point, integers those without"},
      {".global .b16 x = 0f3F800000;",
       "line 2: a value of 'x' is no '.b16': floating-point variables take "
       "numbers with a point, integers those without"},
      {".global .u32 x = ;",
       "line 2: expected a number in the initializer of 'x', found ';'"},
      {".global .u32 x = {1};",
       "line 2: expected a number in the initializer of 'x', found '{'"},
      {".global .u32 x[2] = 1;", "line 2: expected '{', found '1'"},
      {".global .u32 x[2][2] = {1, 2};", "line 2: expected '{', found '1'"},
      {".global .u32 x[2] = {1, 2, 3};",
       "line 2: the initializer of 'x' has more than 2 values in a row"},
      {".global .u32 x[2] = {1, };",
       "line 2: expected a number in the initializer of 'x', found '}'"},
      {".global .u32 x[2] = {1;",
       "line 2: expected ',' or '}' in an initializer, found ';'"},
      {".global .u32 x[] = {};",
       "line 2: variable 'x' has neither a size nor values"},
      {".global .u32 x[16777217] = {};",
       "line 2: initialized variables have more than 67108864 bytes"},
      {".global .u32 x[1099511627776][1099511627776] = {};",
       "line 2: initialized variables have more than 67108864 bytes"},
      {".global .u32 x[16777216] = {};\n.global .u32 y[][1] = {{1}};",
       "line 3: initialized variables have more than 67108864 bytes"},
  });
}

TEST_CASE("kernels are refused") {
  refuseItems({
      {".entry 4", "line 2: expected a kernel's name, found '4'"},
      {".entry k() { }\n.entry k() { }",
       "line 3: kernel 'k' is already defined in line 2"},
      {".entry k x", "line 2: expected '{' before the body of 'k', found 'x'"},
      {".entry k(.reg .b32 x)", "line 2: expected '.param', found '.reg'"},
      {".entry k(.param .b32)", "line 2: expected a parameter's name, found "
                                "')'"},
      {".entry k(.param .b32 a .param",
       "line 2: expected ',' or ')' in parameters, found '.param'"},
      {".entry k(.param .b32 a,\n.param .b32 a)",
       "line 3: 'a' is already declared in line 2"},
      {".entry k(.param .v2 .b32 a)", "line 2: a parameter is no vector: "
                                      "declare an array"},
      {".entry k(.param .b8 a[])", "line 2: variable 'a' has no size: give "
                                   "one, or an initializer"},
      {".entry k(.param .b8 a[32765])",
       "line 2: an array's size is 32765: at most 32764"},
      {".entry k(.param .b8 a[32764], .param .b8 b)",
       "line 2: 'b' and the variables before it take more than the 32764 bytes "
       "that '.param' can have"},
      {".entry k(.param .b8 a = 1)", "line 2: a '.param' variable has no "
                                     "initializer: 'a'"},
      {".entry k(.param .u64 .ptr .global .align 3 a)",
       "line 2: alignment 3 is no power of two"},
      {".entry k(.param .texref a)", "line 2: textures, surfaces and samplers "
                                     "are not supported: '.texref'"},
      {".entry k() .reqntid 0 { }", "line 2: a size of '.reqntid' is 0"},
      {".entry k() .reqntid { }", "line 2: expected a size of '.reqntid', "
                                  "found '{'"},
      {".entry k() .maxntid 2147483648 { }",
       "line 2: a size of '.maxntid' is 2147483648: at most 2147483647"},
      {".entry k() .maxntid 65536, 65536 { }",
       "line 2: the sizes of '.maxntid' multiply to more than 2147483647"},
      {".entry k() .reqntid 32 .maxntid 32 { }",
       "line 2: kernel 'k' has both '.reqntid' and '.maxntid'"},
      {".entry k() .maxnreg x { }", "line 2: expected the number of "
                                    "'.maxnreg', found 'x'"},
      {".entry k() .foo { }", "line 2: directive '.foo' of a kernel is not "
                              "known"},
      {"\n.entry k() {\nret;\n", "line 3: the body of kernel 'k' that begins "
                                 "here has no '}'"},
      {".entry k() { } }", "line 2: expected a directive, found '}'"},
  });
}

TEST_CASE("registers are refused") {
  refuseBodies({
      {".reg x;", "line 5: expected a register's type, found 'x'"},
      {".reg .f8 x;", "line 5: expected a register's type such as '.b32', "
                      "found '.f8'"},
      {".reg .bf16 x;", "line 5: a register cannot have type '.bf16': declare "
                        "its bits, as in '.b16'"},
      {".reg .f32x2 x;", "line 5: a register cannot have type '.f32x2': "
                         "declare its bits, as in '.b64'"},
      {".reg .v4 .f32 x;", "line 5: vector registers are not supported: "
                           "declare 4 registers"},
      {".reg .b32 ;", "line 5: expected a register's name, found ';'"},
      {".reg .b32 x<;", "line 5: expected a number of registers, found ';'"},
      {".reg .b32 x<2;", "line 5: expected '>', found ';'"},
      {".reg .b32 x y;", "line 5: expected ';', found 'y'"},
      {".reg .b32 x<1000001>;",
       "line 5: a number of registers is 1000001: at most 1000000"},
      {".reg .b32 x<999999>;",
       "line 5: the module declares more than 1000000 registers"},
      {".reg .b32 " + std::string(100, 'x') + "<900000>;",
       "line 5: the names of the module's registers have more than 67108864 "
       "characters"},
      {"\n.reg .f32 %r7;", "line 6: '%r7' is already declared in line 3"},
      {".shared .b32 %r7;", "line 5: '%r7' is already declared in line 3"},
  });
}

TEST_CASE("statements are refused") {
  refuseBodies({
      {"bra L", "line 6: expected ',' or ';', found '}'"},
      {"bar.sync 0\n\nret;", "line 7: expected ',' or ';', found 'ret'"},
      {";", "line 5: expected an instruction, found ';'"},
      {"%r1, %r2;", "line 5: expected an instruction, found '%r1'"},
      {"4;", "line 5: expected an instruction, found '4'"},
      {"ret;;", "line 5: expected an instruction, found ';'"},
      {"@x ret;", "line 5: guard 'x' is no declared register"},
      {"@%p9 ret;", "line 5: guard '%p9' is no declared register"},
      {"@in ret;", "line 5: guard 'in' is no declared register"},
      {"@%r1 ret;", "line 5: guard '%r1' is a '.b32': a predicate is needed"},
      {"@4 ret;", "line 5: expected a predicate behind '@', found '4'"},
      {"@%p1 L: ret;", "line 5: expected an operand, found ':'"},
      {"@%p1 { ret; }", "line 5: expected an instruction, found '{'"},
      {"\ncall (r), f, (a);",
       "line 6: 'call' is not supported: inline the function"},
      {"@%p1 call.uni f;",
       "line 5: 'call' is not supported: inline the function"},
      {"f: .callprototype _ (.param .b32 a);",
       "line 5: '.callprototype' is for calls, which are not supported: inline "
       "the function"},
      {"f: .calltargets g;",
       "line 5: '.calltargets' is for calls, which are not supported: inline "
       "the function"},
      {".param .b32 a;", "line 5: a '.param' variable in a body is for calls, "
                         "which are not supported: inline the function"},
      {".branchtargets L;", "line 5: '.branchtargets' has no label"},
      {".func f;", "line 5: directive '.func' is not known in a body"},
      {"L: nop;\nL: nop;", "line 6: 'L' is already declared in line 5"},
      {"_: nop;", "line 5: '_' is no name for a label"},
      {"T: .branchtargets 4;", "line 5: expected a label, found '4'"},
      {"T: .branchtargets L nop;", "line 5: expected ';', found 'nop'"},
      {"\nT: .branchtargets L;", "line 6: branch target 'L' is no label here"},
      {"T: .branchtargets L; { L: }",
       "line 5: branch target 'L' is no label here"},
      {"T: .branchtargets T;", "line 5: branch target 'T' is no label here"},
      {".local .b32 x[131073];",
       "line 5: 'x' is larger than the 524288 bytes that '.local' can have"},
      {".local .b32 x = 1;", "line 5: a '.local' variable has no initializer: "
                             "'x'"},
      {"{ ret;", "line 2: the body of kernel 'k' that begins here has no '}'"},
      {"x " + std::string(50, 'y') + " 4;",
       "line 5: expected ',' or ';', found '4'"},
      {std::string(50, '4') + ";",
       "line 5: '" + std::string(50, '4') + "' does not fit 64 bits"},
  });
}

TEST_CASE("operands are refused") {
  refuseBodies({
      {"x %r1,;", "line 5: expected an operand, found ';'"},
      {"x ,;", "line 5: expected an operand, found ','"},
      {"x %r1 %r2;", "line 5: expected ',' or ';', found '%r2'"},
      {"x %r1.x;", "line 5: expected ',' or ';', found '.x'"},
      {"x %r1|;", "line 5: expected an operand, found ';'"},
      {"x %r1|%r2|%r3;", "line 5: expected ',' or ';', found '|'"},
      {"x {};", "line 5: expected an operand, found '}'"},
      {"x {%r1;", "line 5: expected ',' or '}' in a vector, found ';'"},
      {"x !y;", "line 5: 'y' behind '!' is no declared register"},
      {"x !in;", "line 5: 'in' behind '!' is no declared register"},
      {"x ![%rd1];", "line 5: expected a constant, found '['"},
      {"x -%r1;", "line 5: expected a constant, found '%r1'"},
      {"x -0f3F800000;",
       "line 5: '-' does not apply to a floating-point constant"},
      {"x ~1.5;", "line 5: '~' does not apply to a floating-point constant"},
      {"x 1+1.5;", "line 5: '+' does not combine these constants: both are "
                   "integers or, for + - * /, both are decimals"},
      {"x 1.0<<2.0;", "line 5: '<<' does not combine these constants: both are "
                      "integers or, for + - * /, both are decimals"},
      {"x 1/0;", "line 5: a constant is divided by zero"},
      {"x 1 % 0;", "line 5: a constant is divided by zero"},
      {"x 1<<64;", "line 5: a constant is shifted by more than 63 bits"},
      {"x 1>>-1;", "line 5: a constant is shifted by more than 63 bits"},
      {"x (1;", "line 5: expected ')', found ';'"},
      {"x (.s64 1);", "line 5: expected ')' behind a cast, found '1'"},
      {"x 1+;", "line 5: expected a constant, found ';'"},
      {"x 1+y;", "line 5: expected a constant, found 'y'"},
      {"x 4 ? 1 : 2;", "line 5: expected ',' or ';', found '?'"},
      {"x \"s\";", "line 5: expected an operand, found '\"s\"'"},
      {"x \"" + std::string(60, 's') + "\";",
       "line 5: expected an operand, found '\"" + std::string(39, 's') +
           "...'"},
      {"x [];", "line 5: expected a register, a variable or a number in an "
                "address, found ']'"},
      {"x [%rd1;", "line 5: expected ',' or ']' in an address, found ';'"},
      {"x [%rd1-4];", "line 5: an offset is added to an address: write '+-' in "
                      "place of '-'"},
      {"x [in-4];", "line 5: an offset is added to an address: write '+-' in "
                    "place of '-'"},
      {"x [%rd1+%r1];", "line 5: expected a constant offset, found '%r1'"},
      {"x [%rd1+1.5];", "line 5: an offset is no floating-point number"},
      {"x [1.5];", "line 5: an address is no floating-point number"},
      {"x [4+%rd1];", "line 5: expected a constant, found '%rd1'"},
      {"x [y];", "line 5: 'y' in an address is no declared register or "
                 "variable"},
      {"x [%rd99];", "line 5: '%rd99' in an address is no declared register or "
                     "variable"},
      {"x [%tid.x];", "line 5: '%tid' in an address is no declared register or "
                      "variable"},
      {"x [_];", "line 5: '_' in an address is no declared register or "
                 "variable"},
      {"x [WARP_SZ];", "line 5: 'WARP_SZ' in an address is no declared "
                       "register or variable"},
      {"x [%rd1,];", "line 5: expected an operand, found ']'"},
      {"x in[4];", "line 5: an index behind variable 'in' is not supported: "
                   "add the offset in bytes, as in [in+4]"},
      {"x in+;", "line 5: expected a constant offset, found ';'"},
  });
}

TEST_CASE("nesting has limits") {
  CHECK(
      parsed(withBody(repeated("{", 63) + repeated("}", 63))).kernels.size() ==
      1);
  CHECK(refusal(withBody(repeated("{", 100000))) ==
        "line 5: scopes are nested deeper than 64 levels");
  CHECK(refusal(withBody("x " + repeated("{", 100000) + ";")) ==
        "line 5: operands are nested deeper than 4 levels");
  CHECK(refusal(withBody("x " + repeated("[%rd1, ", 100000) + ";")) ==
        "line 5: operands are nested deeper than 4 levels");
  CHECK(
      parsed(withBody("x " + repeated("(", 32) + "1" + repeated(")", 32) + ";"))
          .kernels[0]
          .statements[0]
          .operands[0]
          .bits == 1);
  CHECK(refusal(withBody("x " + repeated("(", 100000) + "1;")) ==
        "line 5: parentheses are nested deeper than 32 levels");
  CHECK(refusal(withBody("x " + repeated("- ", 100000) + "1;")) ==
        "line 5: more than 32 operators in front of a constant");
  CHECK(refusal(withBody("x " + repeated("(.s64)", 100000) + "1;")) ==
        "line 5: more than 32 operators in front of a constant");
  CHECK(refusal(kHead + ".section a " + repeated("{", 100000)) ==
        "line 2: the section that begins here has no '}'");
  CHECK(refusal(kHead + ".global .b8 x = " + repeated("{", 100000)) ==
        "line 2: expected a number in the initializer of 'x', found '{'");
}

TEST_CASE("a text has a limit") {
  CHECK(refusal(std::string((size_t(16) << 20) + 1, '\n')) ==
        "line 1: the text has 16777217 bytes: at most 16777216");
}
