(module
  (@custom "dsgec" (before first) "{\22model_id\22: \22057c43927fef4bfd9598aac2da7cc95e\22, \22generator\22: \22dsgec 0.1.0\22, \22name\22: \22iris\22, \22dtype\22: \22double\22, \22network\22: \22inputs = 4\5cnh_1_1 = sig(0.52 \5cu002a x_1 + -1.3 \5cu002a x_3 + 0.1)\5cnh_1_2 = tanh(x_2 ^ 2.0 \5cu002f x_4)\5cnh_2_1 = sig(1.5 \5cu002a h_1_1 + x_2)\5cny_1, y_2, y_3 = softmax(2.0 \5cu002a h_2_1 + 0.3, h_1_2, min(h_1_1, -h_2_1))\5cn\22, \22columns\22: [{\22name\22: \22sepal length\22}, {\22name\22: \22sepal width\22}, {\22name\22: \22petal length\22}, {\22name\22: \22petal width\22}], \22classes\22: [\22setosa\22, \22versicolor\22, \22virginica\22], \22target\22: \22\22}")
  (type (func (param f64 f64) (result f64)))
  (type (func (param f64) (result f64)))
  (type (func (param i32 i32)))
  (type (func (param i32)))
  (type (func (param i32) (result i32)))
  (type (func (param i32 i32) (result i32)))
  (type (func (result i32)))
  (type (func (param i32 i32 i32) (result i32)))
  (func $div (type 0) (param f64 f64) (result f64)
    (local f64 f64)
    f64.const 1.0
    local.get 1
    local.get 1
    f64.const 0.0
    f64.eq
    select
    local.set 2
    local.get 0
    local.get 2
    f64.div
    local.set 3
    f64.const 1.0
    local.get 3
    local.get 1
    f64.const 0.0
    f64.eq
    select
  )
  (func $absolute (type 1) (param f64) (result f64)
    local.get 0
    f64.abs
  )
  (func $minimum (type 0) (param f64 f64) (result f64)
    (local f64)
    local.get 0
    local.get 1
    local.get 0
    local.get 0
    f64.ne
    select
    local.set 2
    local.get 0
    local.get 2
    local.get 0
    local.get 1
    f64.lt
    select
  )
  (func $maximum (type 0) (param f64 f64) (result f64)
    (local f64)
    local.get 0
    local.get 1
    local.get 0
    local.get 0
    f64.ne
    select
    local.set 2
    local.get 0
    local.get 2
    local.get 0
    local.get 1
    f64.gt
    select
  )
  (func $exp_core (type 1) (param f64) (result f64)
    (local f64 f64 f64 f64 f64 f64 f64 f64 f64)
    local.get 0
    local.get 0
    f64.mul
    local.set 1
    local.get 1
    local.get 1
    f64.mul
    local.set 2
    f64.const 0.5000000000000004
    local.get 0
    f64.const 0.16666666666666496
    f64.mul
    f64.add
    local.set 3
    f64.const 0.041666666666581656
    local.get 0
    f64.const 0.008333333333462953
    f64.mul
    f64.add
    local.set 4
    f64.const 0.001388888893022589
    local.get 0
    f64.const 0.00019841269536166674
    f64.mul
    f64.add
    local.set 5
    f64.const 2.480150667943323e-05
    local.get 0
    f64.const 2.7557587721068823e-06
    f64.mul
    f64.add
    local.set 6
    f64.const 2.762553676944757e-07
    local.get 0
    f64.const 2.4992450692466455e-08
    f64.mul
    f64.add
    local.set 7
    local.get 3
    local.get 1
    local.get 4
    f64.mul
    f64.add
    local.set 8
    local.get 5
    local.get 1
    local.get 6
    f64.mul
    f64.add
    local.get 2
    local.get 7
    f64.mul
    f64.add
    local.set 9
    local.get 1
    local.get 8
    local.get 2
    local.get 9
    f64.mul
    f64.add
    f64.mul
  )
  (func $exp_down (type 1) (param f64) (result f64)
    (local f64 f64 f64 f64 f64 f64 f64)
    f64.const -746.0
    local.get 0
    local.get 0
    f64.const -746.0
    f64.lt
    select
    local.set 1
    local.get 1
    f64.const 1.4426950408889634
    f64.mul
    f64.const 6755399441056831.0
    f64.add
    local.set 2
    local.get 2
    f64.const 6755399441056831.0
    f64.sub
    local.set 3
    local.get 2
    i64.reinterpret_f64
    i64.const 52
    i64.shl
    f64.reinterpret_i64
    local.set 4
    local.get 1
    local.get 3
    f64.const 0.6931471805598903
    f64.mul
    f64.sub
    local.set 5
    local.get 3
    f64.const 5.497923018708371e-14
    f64.mul
    local.set 6
    local.get 5
    local.get 5
    local.get 6
    f64.sub
    call $exp_core
    local.get 6
    f64.sub
    f64.add
    local.set 7
    f64.const 1.0
    local.get 7
    f64.add
    local.get 4
    f64.mul
    f64.const 5.421010862427522e-20
    f64.mul
  )
  (func $sig (type 1) (param f64) (result f64)
    (local f64 f64)
    local.get 0
    call $absolute
    f64.neg
    call $exp_down
    local.set 1
    f64.const 1.0
    local.get 1
    local.get 0
    f64.const 0.0
    f64.ge
    select
    local.set 2
    local.get 2
    f64.const 1.0
    local.get 1
    f64.add
    f64.div
  )
  (func $tanh (type 1) (param f64) (result f64)
    (local f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64)
    local.get 0
    call $absolute
    local.set 1
    f64.const -40.0
    f64.const -2.0
    local.get 1
    f64.mul
    local.get 1
    f64.const 20.0
    f64.gt
    select
    local.set 2
    local.get 2
    f64.const 1.4426950408889634
    f64.mul
    f64.const 6755399441056767.0
    f64.add
    local.set 3
    local.get 3
    f64.const 6755399441056767.0
    f64.sub
    local.set 4
    local.get 3
    i64.reinterpret_f64
    i64.const 52
    i64.shl
    f64.reinterpret_i64
    local.set 5
    local.get 2
    local.get 4
    f64.const 0.6931471805598903
    f64.mul
    f64.sub
    local.set 6
    local.get 4
    f64.const 5.497923018708371e-14
    f64.mul
    local.set 7
    local.get 6
    local.get 7
    f64.sub
    call $exp_core
    local.get 7
    f64.sub
    local.set 8
    local.get 6
    local.get 8
    f64.add
    local.set 9
    local.get 6
    local.get 9
    f64.sub
    local.get 8
    f64.add
    local.set 10
    local.get 5
    local.get 9
    f64.mul
    local.set 11
    local.get 5
    f64.const 1.0
    f64.sub
    local.set 12
    local.get 12
    local.get 11
    f64.add
    local.set 13
    local.get 12
    local.get 13
    f64.sub
    local.get 11
    f64.add
    local.get 5
    local.get 10
    f64.mul
    f64.add
    local.set 14
    f64.const 0.0
    local.get 13
    f64.sub
    local.get 5
    f64.const 1.0
    f64.add
    local.get 11
    local.get 14
    f64.const 6.4
    f64.const 4.8
    local.get 13
    f64.mul
    f64.add
    f64.mul
    f64.add
    f64.add
    f64.div
    local.set 15
    local.get 15
    local.get 0
    f64.copysign
  )
  (func $sums (type 2) (param i32 i32)
    (local f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64)
    f64.const 0.52
    local.get 0
    f64.load
    f64.mul
    local.set 2
    f64.const -1.3
    local.get 0
    f64.load offset=16
    f64.mul
    local.set 3
    local.get 2
    local.get 3
    f64.add
    local.set 4
    local.get 4
    f64.const 0.1
    f64.add
    local.set 5
    local.get 5
    call $sig
    local.set 6
    local.get 0
    f64.load offset=8
    local.get 0
    f64.load offset=8
    f64.mul
    local.set 7
    local.get 7
    local.get 0
    f64.load offset=24
    call $div
    local.set 8
    local.get 8
    call $tanh
    local.set 9
    f64.const 1.5
    local.get 6
    f64.mul
    local.set 10
    local.get 10
    local.get 0
    f64.load offset=8
    f64.add
    local.set 11
    local.get 11
    call $sig
    local.set 12
    f64.const 2.0
    local.get 12
    f64.mul
    local.set 13
    local.get 13
    f64.const 0.3
    f64.add
    local.set 14
    local.get 12
    f64.neg
    local.set 15
    local.get 6
    local.get 15
    call $minimum
    local.set 16
    local.get 1
    local.get 14
    f64.store
    local.get 1
    local.get 9
    f64.store offset=8
    local.get 1
    local.get 16
    f64.store offset=16
  )
  (func $softmax (type 3) (param i32)
    (local f64 i32 f64 f64)
    local.get 0
    f64.load
    local.set 1
    i32.const 0
    local.set 2
    block
      loop
        local.get 2
        i32.const 3
        i32.lt_s
        i32.eqz
        br_if 1
        local.get 1
        local.get 2
        i32.const 3
        i32.shl
        local.get 0
        i32.add
        f64.load
        call $maximum
        local.set 1
        local.get 2
        i32.const 1
        i32.add
        local.set 2
        br 0
      end
    end
    f64.const 0.0
    local.set 3
    i32.const 0
    local.set 2
    block
      loop
        local.get 2
        i32.const 3
        i32.lt_s
        i32.eqz
        br_if 1
        local.get 2
        i32.const 3
        i32.shl
        local.get 0
        i32.add
        f64.load
        local.get 1
        f64.sub
        call $exp_down
        local.set 4
        local.get 2
        i32.const 3
        i32.shl
        local.get 0
        i32.add
        local.get 4
        f64.store
        local.get 3
        local.get 4
        f64.add
        local.set 3
        local.get 2
        i32.const 1
        i32.add
        local.set 2
        br 0
      end
    end
    i32.const 0
    local.set 2
    block
      loop
        local.get 2
        i32.const 3
        i32.lt_s
        i32.eqz
        br_if 1
        local.get 2
        i32.const 3
        i32.shl
        local.get 0
        i32.add
        local.get 2
        i32.const 3
        i32.shl
        local.get 0
        i32.add
        f64.load
        local.get 3
        f64.div
        f64.store
        local.get 2
        i32.const 1
        i32.add
        local.set 2
        br 0
      end
    end
  )
  (func $outputs (type 2) (param i32 i32)
    local.get 0
    local.get 1
    call $sums
    local.get 1
    call $softmax
  )
  (func $results (type 2) (param i32 i32)
    local.get 0
    local.get 1
    call $outputs
  )
  (func $lacks (type 4) (param i32) (result i32)
    (local i32 i32)
    i32.const 0
    local.set 1
    i32.const 0
    local.set 2
    block
      loop
        local.get 2
        i32.const 4
        i32.lt_s
        i32.eqz
        br_if 1
        i32.const 1
        local.get 1
        local.get 2
        i32.load8_u
        i32.const 3
        i32.shl
        local.get 0
        i32.add
        f64.load
        local.get 2
        i32.load8_u
        i32.const 3
        i32.shl
        local.get 0
        i32.add
        f64.load
        f64.ne
        select
        local.set 1
        local.get 2
        i32.const 1
        i32.add
        local.set 2
        br 0
      end
    end
    local.get 1
  )
  (func $checked (type 5) (param i32 i32) (result i32)
    (local i32 i32)
    local.get 0
    local.get 1
    call $results
    local.get 0
    call $lacks
    local.set 2
    i32.const 0
    local.set 3
    block
      loop
        local.get 3
        i32.const 3
        i32.lt_s
        i32.eqz
        br_if 1
        local.get 3
        i32.const 3
        i32.shl
        local.get 1
        i32.add
        f64.const nan
        local.get 3
        i32.const 3
        i32.shl
        local.get 1
        i32.add
        f64.load
        local.get 2
        i32.const 1
        i32.eq
        select
        f64.store
        local.get 3
        i32.const 1
        i32.add
        local.set 3
        br 0
      end
    end
    local.get 2
  )
  (func $choose (type 4) (param i32) (result i32)
    (local i32 f64 i32 i32 i32)
    i32.const 0
    local.set 1
    f64.const -inf
    local.set 2
    i32.const 0
    local.set 3
    i32.const 0
    local.set 4
    block
      loop
        local.get 4
        i32.const 3
        i32.lt_s
        i32.eqz
        br_if 1
        local.get 1
        i32.const 1
        local.get 4
        i32.const 3
        i32.shl
        local.get 0
        i32.add
        f64.load
        local.get 4
        i32.const 3
        i32.shl
        local.get 0
        i32.add
        f64.load
        f64.eq
        select
        local.set 1
        local.get 4
        i32.const 3
        i32.shl
        local.get 0
        i32.add
        f64.load
        local.get 2
        f64.gt
        local.set 5
        local.get 4
        i32.const 3
        i32.shl
        local.get 0
        i32.add
        f64.load
        local.get 2
        local.get 5
        select
        local.set 2
        local.get 4
        local.get 3
        local.get 5
        select
        local.set 3
        local.get 4
        i32.const 1
        i32.add
        local.set 4
        br 0
      end
    end
    local.get 3
    i32.const -1
    local.get 1
    i32.const 0
    i32.eq
    select
    i32.const -1
    local.get 2
    local.get 2
    f64.sub
    local.get 2
    local.get 2
    f64.sub
    f64.eq
    select
  )
  (func $class_number (type 4) (param i32) (result i32)
    local.get 0
    i32.const 256
    call $sums
    i32.const -1
    i32.const 256
    call $choose
    local.get 0
    call $lacks
    i32.const 1
    i32.eq
    select
  )
  (func $selftest (type 6) (result i32)
    (local i32 i32 i32)
    i32.const 0
    local.set 0
    i32.const 0
    local.set 1
    block
      loop
        local.get 1
        i32.const 4
        i32.lt_s
        i32.eqz
        br_if 1
        i32.const 0
        local.set 2
        block
          loop
            local.get 2
            i32.const 4
            i32.lt_s
            i32.eqz
            br_if 1
            local.get 2
            i32.const 3
            i32.shl
            local.get 1
            i32.const 4
            i32.mul
            local.get 2
            i32.add
            i32.const 3
            i32.shl
            f64.load offset=8
            f64.store offset=288
            local.get 2
            i32.const 1
            i32.add
            local.set 2
            br 0
          end
        end
        i32.const 288
        i32.const 320
        call $results
        i32.const 0
        local.set 2
        block
          loop
            local.get 2
            i32.const 3
            i32.lt_s
            i32.eqz
            br_if 1
            local.get 1
            i32.const 1
            i32.add
            local.get 0
            local.get 0
            i32.const 0
            i32.eq
            select
            local.get 0
            i32.const 1
            local.get 1
            i32.const 3
            i32.mul
            local.get 2
            i32.add
            i32.const 3
            i32.shl
            f64.load offset=136
            local.get 1
            i32.const 3
            i32.mul
            local.get 2
            i32.add
            i32.const 3
            i32.shl
            f64.load offset=136
            f64.eq
            local.get 2
            i32.const 3
            i32.shl
            f64.load offset=320
            local.get 2
            i32.const 3
            i32.shl
            f64.load offset=320
            f64.eq
            select
            i32.const 0
            local.get 2
            i32.const 3
            i32.shl
            f64.load offset=320
            i64.reinterpret_f64
            local.get 1
            i32.const 3
            i32.mul
            local.get 2
            i32.add
            i32.const 3
            i32.shl
            f64.load offset=136
            i64.reinterpret_f64
            i64.ne
            select
            select
            local.set 0
            local.get 2
            i32.const 1
            i32.add
            local.set 2
            br 0
          end
        end
        local.get 1
        i32.const 1
        i32.add
        local.get 0
        local.get 0
        i32.const 0
        i32.eq
        select
        local.get 0
        i32.const 288
        call $class_number
        local.get 1
        i32.const 2
        i32.shl
        i32.load offset=232
        i32.ne
        select
        local.set 0
        local.get 1
        i32.const 1
        i32.add
        local.set 1
        br 0
      end
    end
    local.get 0
  )
  (func $predict (type 7) (param i32 i32 i32) (result i32)
    (local i32)
    block
      loop
        local.get 1
        i32.eqz
        br_if 1
        local.get 3
        local.get 2
        local.get 0
        call $class_number
        i32.store
        local.get 0
        call $lacks
        i32.add
        local.set 3
        local.get 0
        i32.const 32
        i32.add
        local.set 0
        local.get 2
        i32.const 4
        i32.add
        local.set 2
        local.get 1
        i32.const -1
        i32.add
        local.set 1
        br 0
      end
    end
    local.get 3
  )
  (func $predict_proba (type 7) (param i32 i32 i32) (result i32)
    (local i32)
    block
      loop
        local.get 1
        i32.eqz
        br_if 1
        local.get 3
        local.get 0
        local.get 2
        call $checked
        i32.add
        local.set 3
        local.get 0
        i32.const 32
        i32.add
        local.set 0
        local.get 2
        i32.const 24
        i32.add
        local.set 2
        local.get 1
        i32.const -1
        i32.add
        local.set 1
        br 0
      end
    end
    local.get 3
  )
  (memory 2)
  (global i32 (i32.const 352))
  (global i32 (i32.const 4))
  (global i32 (i32.const 3))
  (export "selftest" (func $selftest))
  (export "predict" (func $predict))
  (export "predict_proba" (func $predict_proba))
  (export "memory" (memory 0))
  (export "heap" (global 0))
  (export "columns" (global 1))
  (export "results" (global 2))
  (data (i32.const 0)
    "\00\01\02\03\00\00\00\00\00\00\00\00\00\00\00\00"
    "\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00"
    "\00\00\00\00\00\00f?\00\00\00\00\00\00\00\00"
    "\00\00\00\00\00\00\b6?\00\00\00\00\00\00\df?"
    "\00\00\00\00\00\00\00\00\00\00\00\00\00\00\07\c0"
    "\00\00\00\00\00\e0\01\c0\00\00\00\00\00\80\fb\bf"
    "\00\00\00\00\00\e0\02@\00\00\00\00\00\00\00\00"
    "\00\00\00\00\00\00\00\00\00\00\00\00\00\80\9b?"
    "\00\00\00\00\00\00\00\002S\01V\d9\f7\e8?"
    "Mu\89w\04\b7\c2?\d5{\e2`,\d3\b2?"
    "\be !\ef/\e4\e4?l\beS.\92\e1\d1?"
    "[\00\a8\cd7X\b1?\df\b3\e4\a5\c8\ad\d8?"
    "\9b\ec?\b5iA\de?\0c\bf\b6I\9b!\c2?"
    "\86\18\ccOMZ\e5?\0b\b4\f9OQ<\d1?"
    "\a6k\b8AP<\b0?\00\00\00\00\00\00\00\00"
    "\01\00\00\00\00\00\00\00"
  )
)
